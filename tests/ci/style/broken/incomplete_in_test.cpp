// expect: clang-diagnostic-error: no member named 'path' in namespace 'std::filesystem'
// A test that does not include what it uses.
#include <gtest/gtest.h>

TEST(Broken, IsIncomplete) {
    EXPECT_EQ(std::filesystem::path("/").string(), "/");
}
