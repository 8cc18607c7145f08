// A guest whose kernel was to use an IOMMU, and does not.
#include <gtest/gtest.h>

#include <cerrno>

#include "vm/guest/init/system.hpp"

namespace zcrxlab {
namespace {

TEST(Iommu, OneThatWasAskedForHasToBeDriven) {
    EXPECT_TRUE(check_iommu("console=ttyS0 intel_iommu=on\n", true));
    const auto missing = check_iommu("console=ttyS0 intel_iommu=on\n", false);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ENODEV);
}

TEST(Iommu, WhereNobodyAsksForOneNoneHasToBeThere) {
    EXPECT_TRUE(check_iommu("console=ttyS0\n", false));
    EXPECT_TRUE(check_iommu("intel_iommu=off intel_iommu=on,sm_on\n", false));
    EXPECT_TRUE(check_iommu("", true));
}

}  // namespace
}  // namespace zcrxlab
