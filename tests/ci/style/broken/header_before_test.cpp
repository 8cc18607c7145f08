// expect: clang-diagnostic-error: use of undeclared identifier 'std'
// A header that is incomplete and comes before GoogleTest, which would complete it.
#include "tests/ci/style/broken/needs_vector.hpp"

#include <gtest/gtest.h>

TEST(Broken, HeaderComesFirst) {
    EXPECT_TRUE(nothing().empty());
}
