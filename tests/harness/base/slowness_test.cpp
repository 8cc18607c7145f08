// The factor by which bounds of time grow.
#include "harness/base/slowness.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/environment.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

TEST(Slowness, MultipliesBounds) {
    ::setenv(environment::kSlowness, "2.5", 1);
    EXPECT_EQ(slowness(), 2.5);
    EXPECT_EQ(scaled(1000ms), 2500ms);
    // As an earlier part of the same program may have said.
    ::setenv(environment::kSlowness, "10", 1);
    EXPECT_EQ(scaled(1000ms), 10000ms);
    ::unsetenv(environment::kSlowness);
}

TEST(Slowness, IsNoneWhereNobodySaysOrWhatIsSaidMakesNoSense) {
    ::unsetenv(environment::kSlowness);
    EXPECT_EQ(scaled(1000ms), 1000ms);
    for (const char* nonsense : {"", "0", "-3", "slow"}) {
        ::setenv(environment::kSlowness, nonsense, 1);
        EXPECT_EQ(scaled(1000ms), 1000ms) << nonsense;
    }
    ::unsetenv(environment::kSlowness);
}

}  // namespace
}  // namespace zcrxlab
