// Package records become kernels, and what the user says becomes one of them.
#include <gtest/gtest.h>

#include "kernels/release.hpp"

namespace zcrxlab {
namespace {

// As apt-cache dumpavail printed them, cut down to a few fields.
constexpr const char* kRecords = R"(Package: linux-image-6.18.15+deb13-cloud-amd64
Source: linux-signed-amd64 (6.18.15+1~bpo13+1)
Version: 6.18.15-1~bpo13+1
Installed-Size: 49298
Description: Linux 6.18.15 for x86-64 cloud (signed)
Size: 49146196

Package: linux-image-6.18.15+deb13-amd64
Version: 6.18.15-1~bpo13+1
Size: 109146196

Package: linux-image-6.18.15+deb13-rt-amd64
Version: 6.18.15-1~bpo13+1
Size: 109146196

Package: linux-binary-7.1.13+deb13-cloud-amd64
Version: 7.1.13-1~bpo13+1
Size: 13297444

Package: linux-image-7.1.13+deb13-cloud-amd64
Version: 7.1.13-1~bpo13+1
Size: 1916

Package: linux-image-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 1916

Package: linux-binary-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 13604064

Package: linux-binary-unsigned-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 13604000

Package: linux-base-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 1025208

Package: linux-modules-7.3.4+deb13-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 22918420

Package: linux-image-cloud-amd64
Version: 7.3.4-1~bpo13+1
Size: 1000

Package: linux-image-7.3.4+deb13-cloud-amd64-dbg
Version: 7.3.4-1~bpo13+1
Size: 1000
)";

constexpr const char* kExperimental = R"(Package: linux-base-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Size: 1000000

Package: linux-binary-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Size: 13000000

Package: linux-modules-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Size: 22000000

Package: linux-image-7.3-cloud-amd64
Version: 7.3~rc7-1~exp1
Size: 1916
)";

std::vector<std::string> names(const std::vector<PackagedKernel>& kernels) {
    std::vector<std::string> result;
    for (const PackagedKernel& kernel : kernels)
        result.push_back(kernel_name(kernel.version, kernel.flavour));
    return result;
}

KernelWish wish(const std::string& text) {
    const auto parsed = KernelWish::parse(text);
    EXPECT_TRUE(parsed) << text;
    return parsed ? *parsed : KernelWish{};
}

const std::string kCloud = "cloud-amd64";

PackagedKernel kernel(const std::string& version, const std::string& flavour = "cloud-amd64") {
    return {*Version::parse(version), flavour, "trixie-backports", version + "-1", {"p"}, 1};
}

TEST(PackagedKernels, BothLayoutsAndNoVariants) {
    const auto kernels = packaged_kernels(kRecords, "trixie-backports");
    EXPECT_EQ(names(kernels),
              (std::vector<std::string>{"6.18.15-amd64", "6.18.15", "7.1.13", "7.3.4"}));
    const PackagedKernel& old = kernels[1];
    EXPECT_EQ(old.packages, (std::vector<std::string>{"linux-image-6.18.15+deb13-cloud-amd64"}));
    EXPECT_EQ(old.size, 49146196U);
    const PackagedKernel& split = kernels[3];
    EXPECT_EQ(split.packages, (std::vector<std::string>{"linux-base-7.3.4+deb13-cloud-amd64",
                                                        "linux-binary-7.3.4+deb13-cloud-amd64",
                                                        "linux-modules-7.3.4+deb13-cloud-amd64"}));
    EXPECT_EQ(split.size, 1025208U + 13604064U + 22918420U);
    EXPECT_EQ(split.package_version, "7.3.4-1~bpo13+1");
    EXPECT_TRUE(split.unlisted.empty());
}

TEST(PackagedKernels, WhatIsNotListedOfAKernelIsKnown) {
    const auto kernels = packaged_kernels(kRecords, "s");
    const PackagedKernel& kernel = kernels[2];
    EXPECT_EQ(kernel.packages, (std::vector<std::string>{"linux-binary-7.1.13+deb13-cloud-amd64"}));
    EXPECT_EQ(kernel.unlisted,
              (std::vector<std::string>{"linux-base-7.1.13+deb13-cloud-amd64",
                                        "linux-modules-7.1.13+deb13-cloud-amd64"}));
    EXPECT_EQ(kernel.size, 13297444U);
}

TEST(PackagedKernels, ModulesWithoutAnImageAreNoKernel) {
    EXPECT_TRUE(packaged_kernels("Package: linux-modules-7.1.13+deb13-cloud-amd64\n"
                                 "Version: 7.1.13-1~bpo13+1\nSize: 1\n",
                                 "s")
                    .empty());
}

TEST(PackagedKernels, CandidateIsKnownByThePackageVersion) {
    EXPECT_EQ(names(packaged_kernels(kExperimental, "experimental")),
              (std::vector<std::string>{"7.3-rc7"}));
}

TEST(PackagedKernels, TextAndBack) {
    const auto kernels = packaged_kernels(kRecords, "s");
    const auto back = packaged_kernels_from_text(packaged_kernels_text(kernels), "s");
    ASSERT_EQ(names(back), names(kernels));
    for (const size_t i : {2, 3}) {
        EXPECT_EQ(back[i].packages, kernels[i].packages);
        EXPECT_EQ(back[i].unlisted, kernels[i].unlisted);
        EXPECT_EQ(back[i].size, kernels[i].size);
    }
    EXPECT_TRUE(
        packaged_kernels_from_text("7.3 cloud-amd64\nx y z 1 p\n7.3 a b c d\n", "s").empty());
}

TEST(KernelWish, WhatPeopleType) {
    EXPECT_EQ(wish("7.3").version.text(), "7.3");
    EXPECT_EQ(wish("v7.3.4").version.text(), "7.3.4");
    EXPECT_EQ(wish("7.3.4-amd64").flavour, "amd64");
    EXPECT_EQ(wish("7.3-cloud-amd64").flavour, "cloud-amd64");
    EXPECT_EQ(wish("7.3-rc7").version.text(), "7.3-rc7");
    EXPECT_EQ(wish("linux-image-7.3.4+deb13-amd64").flavour, "amd64");
    EXPECT_TRUE(wish("6.8.0-45-generic").foreign);
    EXPECT_FALSE(wish("7.3.4+deb13-cloud-amd64").foreign);
    for (const char* text : {"", "foo", "latest", "7.3.4x", "-7"})
        EXPECT_EQ(KernelWish::parse(text).error().code, EINVAL) << text;
}

TEST(NewestMatch, NewestOfTheSeriesAndFlavour) {
    const std::vector<PackagedKernel> kernels = {kernel("7.2.9"), kernel("7.2.11"),
                                                 kernel("7.2.12", "amd64"), kernel("7.20.1")};
    EXPECT_EQ(newest_match(kernels, wish("7.2"))->version.text(), "7.2.11");
    EXPECT_EQ(newest_match(kernels, wish("7.2-amd64"))->version.text(), "7.2.12");
    EXPECT_EQ(newest_match(kernels, wish("7.2.9"))->version.text(), "7.2.9");
    EXPECT_FALSE(newest_match(kernels, wish("7.2.12")));
    EXPECT_FALSE(newest_match(kernels, wish("7.2.11-5-generic")));
}

TEST(StandardMatch, NewestOfTheStandardSeries) {
    const std::vector<PackagedKernel> kernels = {kernel("7.2.12"), kernel("7.3.4"), kernel("7.3.5"),
                                                 kernel("7.3.6", "amd64"), kernel("7.4.1")};
    EXPECT_EQ(standard_match(kernels, kCloud)->version.text(), "7.3.5");
    EXPECT_EQ(standard_match(kernels, "amd64")->version.text(), "7.3.6");
    EXPECT_FALSE(standard_match(kernels, "riscv64"));
}

TEST(StandardMatch, NextBestWhereTheArchiveHasMovedOn) {
    EXPECT_EQ(standard_match({kernel("6.18.15"), kernel("7.2.12"), kernel("7.4.1")}, kCloud)
                  ->version.text(),
              "7.2.12");
    EXPECT_EQ(standard_match({kernel("6.17.13"), kernel("7.4.1"), kernel("7.5.1")}, kCloud)
                  ->version.text(),
              "7.4.1");
    EXPECT_FALSE(standard_match({kernel("6.17.13")}, kCloud));
}

TEST(StandardMatch, ModulesThatNoListNamesAreTheLastResort) {
    PackagedKernel unlisted = kernel("7.3.5");
    unlisted.unlisted = {"linux-modules"};
    EXPECT_EQ(standard_match({kernel("7.3.4"), unlisted}, kCloud)->version.text(), "7.3.4");
    EXPECT_EQ(standard_match({kernel("7.2.12"), unlisted}, kCloud)->version.text(), "7.2.12");
    EXPECT_EQ(standard_match({unlisted}, kCloud)->version.text(), "7.3.5");
}

TEST(NearestChoices, AroundTheWish) {
    std::vector<KernelChoice> choices;
    for (const char* version : {"6.16.3", "6.18.5", "7.2.6", "7.2.9", "7.2.12", "7.3.4"})
        choices.push_back({version, "cloud-amd64", "s", false, false});
    choices.push_back({"7.2.10-amd64", "amd64", "s", false, false});
    EXPECT_EQ(nearest_choices(choices, wish("7.2.10"), 2),
              (std::vector<std::string>{"7.2.9", "7.2.12"}));
    EXPECT_EQ(nearest_choices(choices, wish("5.1"), 2),
              (std::vector<std::string>{"6.16.3", "6.18.5"}));
    EXPECT_EQ(nearest_choices(choices, wish("9"), 2),
              (std::vector<std::string>{"7.2.12", "7.3.4"}));
    EXPECT_EQ(nearest_choices(choices, wish("7.2-amd64"), 4),
              (std::vector<std::string>{"7.2.10-amd64"}));
    EXPECT_TRUE(nearest_choices({}, wish("7.2"), 4).empty());
}

}  // namespace
}  // namespace zcrxlab
