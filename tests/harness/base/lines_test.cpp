// Lines: that none is lost or made up at the end.
#include "harness/base/lines.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

using Views = std::vector<std::string_view>;

TEST(Lines, AreWithoutTheirNewlines) {
    EXPECT_EQ(lines_of("a\n\nb\n"), (Views{"a", "", "b"}));
}

TEST(Lines, OneBehindTheLastNewlineIsOne) {
    EXPECT_EQ(lines_of("a\nb"), (Views{"a", "b"}));
    EXPECT_EQ(lines_of("\n"), Views{""});
    EXPECT_EQ(lines_of(""), Views{});
}

}  // namespace
}  // namespace zcrxlab
