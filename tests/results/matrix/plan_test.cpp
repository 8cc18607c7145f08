// Which kernels and runs a command names, and how they are dealt.
#include <gtest/gtest.h>

#include <algorithm>

#include "results/matrix/plan.hpp"

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

KernelChoice stock(const char* version, const char* suite = "trixie-backports") {
    return {version, "cloud-amd64", suite, false, false};
}

std::vector<KernelChoice> choices() {
    return {stock("6.12.1"),
            stock("6.16.3"),
            stock("6.16.12"),
            stock("7.2.6"),
            stock("7.2.12"),
            stock("7.2.13", "sid"),
            stock("7.2.13"),
            stock("7.3-rc7", "experimental"),
            stock("7.3.4"),
            {"7.3.4-amd64", "amd64", "trixie-backports", false, false},
            {"7.9.1+deb13-cloud-amd64", "cloud-amd64", "system", true, false}};
}

Names wanted(const std::string& list) {
    const auto kernels = wanted_kernels(list, choices());
    return kernels ? *kernels : Names{"error: " + kernels.error().sentence};
}

TEST(Plan, NamesKernels) {
    EXPECT_EQ(wanted("all"),
              (Names{"6.16.3", "6.16.12", "7.2.6", "7.2.12", "7.2.13", "7.3-rc7", "7.3.4"}));
    EXPECT_EQ(wanted(""), (Names{"6.16.12", "7.2.13", "7.3.4"}));
    EXPECT_EQ(wanted("newest"), wanted(""));
    EXPECT_EQ(wanted("7.2"), Names{"7.2.13"});
    EXPECT_EQ(wanted("7.2.12"), Names{"7.2.12"});
    EXPECT_EQ(wanted("7.2.*"), (Names{"7.2.6", "7.2.12", "7.2.13"}));
    EXPECT_EQ(wanted("7.2.12..7.3-rc7"), (Names{"7.2.12", "7.2.13", "7.3-rc7"}));
    EXPECT_EQ(wanted("7.2.12..7.3"), (Names{"7.2.12", "7.2.13", "7.3-rc7", "7.3.4"}));
    EXPECT_EQ(wanted("7.3.4-amd64"), Names{"7.3.4-amd64"});
    EXPECT_EQ(wanted("6.12.1"), Names{"6.12.1"});  // too old, but named in full
    EXPECT_EQ(wanted("7.9.1+deb13-cloud-amd64"), Names{"7.9.1+deb13-cloud-amd64"});
}

TEST(Plan, NamesThoseOfAnotherFlavour) {
    EXPECT_EQ(*wanted_kernels("newest", choices(), "amd64"), Names{"7.3.4-amd64"});
    EXPECT_EQ(*wanted_kernels("7.3.4", choices(), "amd64"), Names{"7.3.4-amd64"});
    EXPECT_FALSE(wanted_kernels("7.2.12", choices(), "amd64"));
}

TEST(Plan, TheFlavourOfANic) {
    EXPECT_EQ(flavour_for("gve"), "cloud-amd64");
    EXPECT_EQ(flavour_for("bnxt"), "amd64");
}

TEST(Plan, KernelsStandInOrderAndOncePathsBehindThem) {
    EXPECT_EQ(wanted("7.3,./b/bzImage,6.16.3,7.3.4,,/k,./b/bzImage"),
              (Names{"6.16.3", "7.3.4", "./b/bzImage", "/k"}));
}

TEST(Plan, WhatIsNoKernelIsRefused) {
    for (const char* wrong : {"7.4", "6.12", "7.2.", "seven", "7.2..", "..7.3", "7.2.*.*"})
        EXPECT_EQ(wanted(wrong).at(0).substr(0, 6), "error:") << wrong;
}

TEST(Plan, Nics) {
    const Names known{"gve", "nodev"};
    EXPECT_EQ(*wanted_nics("", known), known);
    EXPECT_EQ(*wanted_nics("nodev,nodev", known), Names{"nodev"});
    EXPECT_FALSE(wanted_nics("gve,e1000", known));
}

TEST(Plan, ARunIsOnTheFlavourThatHasTheDriver) {
    EXPECT_EQ(planned_runs({"7.2.12", "7.2.12-amd64", "./k"}, {"gve", "bnxt"}),
              (std::vector<PlannedRun>{{"./k", "gve"},
                                       {"./k", "bnxt"},
                                       {"7.2.12-amd64", "gve"},
                                       {"7.2.12-amd64", "bnxt"},
                                       {"7.2.12", "gve"}}));
}

TEST(Plan, Shares) {
    const auto share = MachineShare::parse("2/3");
    ASSERT_TRUE(share);
    EXPECT_EQ(share->number, 2U);
    EXPECT_EQ(share->of, 3U);
    for (const char* wrong : {"", "2", "2/", "/3", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"})
        EXPECT_FALSE(MachineShare::parse(wrong)) << wrong;
}

TEST(Plan, SharesAreTheWholeAndFair) {
    const auto runs = planned_runs({"1", "2", "3", "4", "5", "6", "7"}, {"gve", "nodev"});
    EXPECT_EQ(runs.front(), (PlannedRun{"7", "gve"}));
    for (const unsigned of : {1U, 2U, 3U, 5U, 20U}) {
        std::vector<PlannedRun> all;
        size_t least = SIZE_MAX, most = 0;
        for (unsigned number = 1; number <= of; ++number) {
            const auto share = share_of(runs, {number, of});
            const auto heavy = std::ranges::count(share, "gve", &PlannedRun::nic);
            EXPECT_LE(heavy, 7 / of + 1) << number << "/" << of;
            least = std::min(least, share.size());
            most = std::max(most, share.size());
            all.insert(all.end(), share.begin(), share.end());
        }
        EXPECT_LE(most - least, 1U) << of;
        EXPECT_EQ(all.size(), runs.size()) << of;
        for (const PlannedRun& run : runs) EXPECT_EQ(std::ranges::count(all, run), 1) << of;
    }
}

}  // namespace
}  // namespace zcrxlab
