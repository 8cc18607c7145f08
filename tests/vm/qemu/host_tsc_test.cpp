// The rate of this machine's time stamp counter: two measurements against each other.
#include "vm/qemu/host_tsc.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TEST(HostTsc, TwoMeasurementsAgree) {
    const double first = host_tsc_khz();
    if (first == 0) GTEST_SKIP() << "The rate of this machine's counter is not constant.";
    EXPECT_GT(first, 100'000);
    EXPECT_NEAR(host_tsc_khz(), first, first / 1000);
}

}  // namespace
}  // namespace zcrxlab
