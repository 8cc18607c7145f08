// Which kernels --good and --bad name, and what is said where they do not.
#include <gtest/gtest.h>

#include "results/bisect/range.hpp"
#include "tests/results/bisect/says.hpp"

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

KernelChoice stock(const char* version, const char* suite = "trixie-backports") {
    return {version, "cloud-amd64", suite, false, false};
}

KernelChoice of_all_machines(const char* version) {
    return {version, "amd64", "trixie-backports", false, false};
}

std::vector<KernelChoice> choices() {
    return {stock("6.12.1"),
            stock("6.18.5"),
            stock("7.2.6"),
            stock("7.2.12"),
            stock("7.2.13", "sid"),
            stock("7.3-rc7", "experimental"),
            stock("7.3.4"),
            of_all_machines("7.2.6-amd64"),
            of_all_machines("7.2.12-amd64"),
            of_all_machines("7.3.4-amd64")};
}

std::string sentence(const std::string& good, const std::string& bad) {
    const auto range = bisect_range(good, bad, choices(), "cloud-amd64");
    return range ? std::string() : range.error().sentence;
}

TEST(BisectRangeTest, TheOlderOneIsGood) {
    const auto range = bisect_range("7.2.6", "7.3-rc7", choices(), "cloud-amd64");
    ASSERT_TRUE(range) << range.error().sentence;
    EXPECT_EQ(range->kernels, (Names{"7.2.6", "7.2.12", "7.2.13", "7.3-rc7"}));
    EXPECT_EQ(range->oldest, Verdict::kGood);
    EXPECT_EQ(range->good(), "7.2.6");
    EXPECT_EQ(range->bad(), "7.3-rc7");
}

TEST(BisectRangeTest, ReversedItLooksForAFix) {
    const auto range = bisect_range("7.3.4", "7.2.13", choices(), "cloud-amd64");
    ASSERT_TRUE(range) << range.error().sentence;
    EXPECT_EQ(range->kernels, (Names{"7.2.13", "7.3-rc7", "7.3.4"}));
    EXPECT_EQ(range->oldest, Verdict::kBad);
    EXPECT_EQ(range->good(), "7.3.4");
    EXPECT_EQ(range->bad(), "7.2.13");
}

TEST(BisectRangeTest, ASeriesIsItsNewestKernel) {
    const auto range = bisect_range("7.2", "6.18", choices(), "cloud-amd64");
    ASSERT_TRUE(range) << range.error().sentence;
    EXPECT_EQ(range->kernels, (Names{"6.18.5", "7.2.6", "7.2.12", "7.2.13"}));
}

TEST(BisectRangeTest, OfAnotherFlavourAllAre) {
    const auto range = bisect_range("7.2.6", "7.3", choices(), "amd64");
    ASSERT_TRUE(range) << range.error().sentence;
    EXPECT_EQ(range->kernels, (Names{"7.2.6-amd64", "7.2.12-amd64", "7.3.4-amd64"}));
    const auto named = bisect_range("7.3.4-amd64", "7.2", choices(), "amd64");
    ASSERT_TRUE(named) << named.error().sentence;
    EXPECT_EQ(named->kernels, (Names{"7.2.12-amd64", "7.3.4-amd64"}));
    const auto missing = bisect_range("7.2.13", "7.3", choices(), "amd64");
    ASSERT_FALSE(missing);
    EXPECT_TRUE(says(missing.error().sentence, "7.2.12-amd64")) << missing.error().sentence;
}

TEST(BisectRangeTest, AnUnknownVersionIsToldWithTheNearest) {
    const std::string text = sentence("7.2.10", "7.3.4");
    EXPECT_TRUE(says(text, "--good 7.2.10")) << text;
    EXPECT_TRUE(says(text, "7.2.6, 7.2.12")) << text;
    EXPECT_TRUE(says(text, "zcrxlab kernels")) << text;
    EXPECT_TRUE(says(sentence("7.2.12", "7.9"), "--bad 7.9")) << sentence("7.2.12", "7.9");
    EXPECT_FALSE(sentence("seven", "7.3.4").empty());
}

TEST(BisectRangeTest, BothTheSame) {
    EXPECT_TRUE(says(sentence("7.2.13", "7.2"), "both 7.2.13")) << sentence("7.2.13", "7.2");
}

TEST(BisectRangeTest, WhatHasNoPlaceInTheOrder) {
    EXPECT_TRUE(says(sentence("./linux", "7.3.4"), "path"));
    EXPECT_TRUE(says(sentence("7.2.6", "7.3.4-amd64"), "flavour"))
        << sentence("7.2.6", "7.3.4-amd64");
    EXPECT_TRUE(says(sentence("6.12.1", "7.3.4"), "6.16"));
    EXPECT_TRUE(says(sentence("7.2.*", "7.3.4"), "7.2.6, 7.2.12, 7.2.13"));
    EXPECT_TRUE(says(sentence("7.2.6,7.2.12", "7.3.4"), "7.2.6, 7.2.12"));
}

}  // namespace
}  // namespace zcrxlab
