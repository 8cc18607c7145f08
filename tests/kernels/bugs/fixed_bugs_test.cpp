// The table is whole, and tells nothing of what is embargoed.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "kernels/bugs/fixed_bug.hpp"
#include "kernels/packages/version.hpp"

namespace zcrxlab {
namespace {

bool is_version(std::string_view text) {
    std::string_view rest;
    return Version::parse(text, &rest) && rest.empty();
}

TEST(FixedBugs, EachSaysWhatItHasTo) {
    std::set<std::string_view> names;
    for (const FixedBug& bug : fixed_bugs()) {
        SCOPED_TRACE(bug.id);
        EXPECT_TRUE(std::regex_match(std::string(bug.id), std::regex("[a-z0-9]+(-[a-z0-9]+)+")));
        EXPECT_TRUE(names.insert(bug.id).second);
        if (!bug.cve.empty()) {
            EXPECT_TRUE(
                std::regex_match(std::string(bug.cve), std::regex("CVE-20[0-9]{2}-[0-9]{4,}")));
            EXPECT_TRUE(names.insert(bug.cve).second);
        }
        if (!bug.commit.empty()) {
            EXPECT_TRUE(std::regex_match(std::string(bug.commit), std::regex("[0-9a-f]{12,40}")));
            EXPECT_TRUE(names.insert(bug.commit).second);
        }
        for (const std::string_view text : {bug.title, bug.user_sees, bug.source}) {
            EXPECT_FALSE(text.empty());
            EXPECT_FALSE(text.ends_with('.'));
        }
        EXPECT_TRUE(bug.since.empty() || is_version(bug.since));
        EXPECT_TRUE(is_version(bug.mainline));
        std::set<std::string> branches;
        for (const BranchFix& branch : bug.branches) {
            const std::string_view one = branch.fixed.empty() ? branch.had : branch.fixed;
            ASSERT_TRUE(is_version(one));
            EXPECT_TRUE(branch.had.empty() || is_version(branch.had));
            const Version version = *Version::parse(one);
            EXPECT_LT(version, *Version::parse(bug.mainline)) << one;
            EXPECT_TRUE(branches
                            .insert(std::to_string(version.numbers[0]) + "." +
                                    std::to_string(version.numbers[1]))
                            .second)
                << one << ": one row for each branch";
        }
    }
}

TEST(FixedBugs, TheirMutationsAreThere) {
    for (const FixedBug& bug : fixed_bugs()) {
        if (bug.mutation.empty()) continue;
        const auto patch = std::filesystem::path(ZCRXLAB_SOURCE_DIR) /
                           ("tests/kernel_mutations/" + std::string(bug.mutation) + ".patch");
        EXPECT_TRUE(std::filesystem::exists(patch)) << patch;
    }
}

TEST(FixedBugs, AreFoundByEachOfTheirNames) {
    const auto bugs = fixed_bugs();
    ASSERT_NE(find_bug(bugs, "CVE-2025-40046"), nullptr);
    EXPECT_EQ(find_bug(bugs, "CVE-2025-40046"), find_bug(bugs, "cve-2025-40046"));
    EXPECT_EQ(find_bug(bugs, "CVE-2025-40046"), find_bug(bugs, "09cfd3c52ea7"));
    EXPECT_EQ(find_bug(bugs, "CVE-2025-40046"), find_bug(bugs, "more-than-the-length"));
    EXPECT_EQ(find_bug(bugs, "09cfd3"), nullptr) << "six digits are too few";
    EXPECT_EQ(find_bug(bugs, ""), nullptr);
    EXPECT_EQ(find_bug(bugs, "CVE-2025-4004"), nullptr);
}

TEST(FixedBugs, AnEmbargoedOneIsCountedAndNotFound) {
    std::vector<FixedBug> bugs(fixed_bugs().begin(), fixed_bugs().end());
    const size_t before = untold_bugs(bugs);
    bugs.push_back({.id = "a-secret",
                    .cve = "CVE-2099-0001",
                    .commit = "0123456789abcdef",
                    .title = "t",
                    .user_sees = "u",
                    .mainline = "7.3",
                    .source = "s",
                    .embargoed = true});
    EXPECT_EQ(untold_bugs(bugs), before + 1);
    EXPECT_EQ(told_bugs(bugs).size(), bugs.size() - before - 1);
    for (const char* word : {"a-secret", "CVE-2099-0001", "0123456789abcdef"})
        EXPECT_EQ(find_bug(bugs, word), nullptr) << word;
}

}  // namespace
}  // namespace zcrxlab
