// expect: readability-duplicate-include
// clang-format off
#include <gtest/gtest.h>

#include <gtest/gtest.h>
#include <string>

TEST(Broken, IncludesTwice) {
    EXPECT_EQ(std::string("a"), "a");
}
