// expect: bugprone-use-after-move
// In the body of a test, which is a macro of GoogleTest.
#include <gtest/gtest.h>

#include <string>
#include <utility>

TEST(Broken, UsesAfterMove) {
    std::string value = "text";
    const std::string other = std::move(value);
    EXPECT_EQ(value, other);
}
