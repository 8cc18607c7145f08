// Lines of a file that grows.
#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/tail.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using Lines = std::vector<std::string>;

TEST(Tail, TakesWholeLinesOnce) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "grows";
    Tail tail(path);
    EXPECT_EQ(tail.take(), Lines());
    std::ofstream file(path);
    file << "one\ntwo\nthr" << std::flush;
    EXPECT_EQ(tail.take(), (Lines{"one", "two"}));
    EXPECT_EQ(tail.take(), Lines());
    file << "ee\n\n" << std::flush;
    EXPECT_EQ(tail.take(), (Lines{"three", ""}));
    EXPECT_EQ(tail.take(), Lines());
}

}  // namespace
}  // namespace zcrxlab
