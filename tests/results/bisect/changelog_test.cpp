// Changelogs as Debian writes them.
#include <gtest/gtest.h>

#include "results/bisect/changelog.hpp"
#include "results/bisect/changes_text.hpp"
#include "tests/results/bisect/says.hpp"

namespace zcrxlab {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kNewer = R"(linux (7.3.3-1~bpo13+1) trixie-backports; urgency=medium

  * Rebuild for trixie-backports:
    - Revert "Compile with gcc-16"

 -- A Developer <a@example.org>  Sun, 15 Nov 2026 23:30:52 +0100

linux (7.3.3-1) unstable; urgency=medium

  * New upstream stable update:
    https://www.kernel.org/pub/linux/kernel/v7.x/ChangeLog-7.3.2
    - mptcp: fix a token
    - io_uring/zcrx: fix buffer offsets in areas above
      4GB (CVE-2026-1)
    https://www.kernel.org/pub/linux/kernel/v7.x/ChangeLog-7.3.3
    - [amd64] net/mlx5e: fix a leak

  [ A Developer ]
  * [amd64] config:
    - Enable PAGE_POOL_STATS
    + Disable FOO
  * wifi: a plain one

 -- A Developer <a@example.org>  Wed, 11 Nov 2026 07:56:59 +0100

linux (7.3.1-1~exp1) experimental; urgency=medium

  * New upstream release: https://kernelnewbies.org/Linux_7.3
    - PCI: not ready
  * New upstream stable update:
    https://www.kernel.org/pub/linux/kernel/v7.x/ChangeLog-7.3.1

 -- A Developer <a@example.org>  Sun, 01 Nov 2026 13:55:46 +0100

linux (7.3~rc7-1~exp1) experimental; urgency=medium

  * New upstream release candidate.

 -- A Developer <a@example.org>  Fri, 16 Oct 2026 04:51:48 +0200

linux (7.2.6-1) unstable; urgency=medium

  * tcp: shared by both

 -- A Developer <a@example.org>  Wed, 16 Sep 2026 22:46:11 +0200
)";

constexpr const char* kOlder = R"(linux (7.2.7-1) unstable; urgency=medium

  * New upstream stable update:
    https://www.kernel.org/pub/linux/kernel/v7.x/ChangeLog-7.2.7
    - io_uring: only in the old one

 -- A Developer <a@example.org>  Thu, 17 Sep 2026 22:46:11 +0200

linux (7.2.6-1) unstable; urgency=medium

  * tcp: shared by both

 -- A Developer <a@example.org>  Wed, 16 Sep 2026 22:46:11 +0200
)";

TEST(ChangelogTest, Entries) {
    const auto log = parse_changelog(kNewer);
    ASSERT_EQ(log.size(), 5U);
    EXPECT_EQ(log[0].version, "7.3.3-1~bpo13+1");
    EXPECT_EQ(log[0].changes,
              Texts{"Rebuild for trixie-backports: Revert \"Compile with gcc-16\""});
    EXPECT_EQ(log[1].changes,
              (Texts{"mptcp: fix a token",
                     "io_uring/zcrx: fix buffer offsets in areas above 4GB (CVE-2026-1)",
                     "[amd64] net/mlx5e: fix a leak", "[amd64] config: Enable PAGE_POOL_STATS",
                     "[amd64] config: Disable FOO", "wifi: a plain one"}));
    EXPECT_TRUE(log[1].untold.empty());
    EXPECT_EQ(log[4].changes, Texts{"tcp: shared by both"});
}

TEST(ChangelogTest, WhatIsToldOnlyAsAWhole) {
    const auto log = parse_changelog(kNewer);
    ASSERT_EQ(log.size(), 5U);
    EXPECT_EQ(log[2].changes, Texts{"PCI: not ready"});
    EXPECT_EQ(log[2].untold,
              (Texts{"https://kernelnewbies.org/Linux_7.3",
                     "https://www.kernel.org/pub/linux/kernel/v7.x/ChangeLog-7.3.1"}));
    EXPECT_EQ(log[3].untold, Texts{"New upstream release candidate."});
}

TEST(ChangelogTest, WhatIsNoChangelog) {
    EXPECT_TRUE(parse_changelog("").empty());
    EXPECT_TRUE(parse_changelog("* a\n  - b\n").empty());
    const auto cut = parse_changelog("linux (7.3-1) unstable; urgency=low\n  * cut off");
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_EQ(cut[0].changes, Texts{"cut off"});
    const auto tight = parse_changelog("linux (7.3-1) unstable; urgency=low\n  * a\n -- A  date\n");
    ASSERT_EQ(tight.size(), 1U);
    EXPECT_EQ(tight[0].changes, Texts{"a"});
}

Texts versions(const std::vector<ChangelogEntry>& entries) {
    Texts names;
    for (const ChangelogEntry& entry : entries) names.push_back(entry.version);
    return names;
}

TEST(ChangelogTest, EachBranchHasItsOwn) {
    const auto newer = parse_changelog(kNewer), older = parse_changelog(kOlder);
    const KernelChanges changes = changes_between(older, {{7, 2, 7}, {}}, newer);
    EXPECT_EQ(versions(changes.newer),
              (Texts{"7.3.3-1~bpo13+1", "7.3.3-1", "7.3.1-1~exp1", "7.3~rc7-1~exp1"}));
    EXPECT_EQ(versions(changes.older), Texts{"7.2.7-1"});
}

TEST(ChangelogTest, WhereOneIsCutOffEarlierTheOtherHasNothingOfItsOwn) {
    auto newer = parse_changelog(kNewer);
    const auto older = parse_changelog(kOlder);
    newer.push_back({"7.2.5-1", {"tcp: long ago"}});
    EXPECT_EQ(versions(changes_between(older, {{7, 2, 7}, {}}, newer).newer),
              versions(changes_between(older, {{7, 2, 7}, {}}, parse_changelog(kNewer)).newer));
    auto longer = older;
    longer.push_back({"7.2.5-1", {"tcp: long ago"}});
    EXPECT_EQ(versions(changes_between(longer, {{7, 2, 7}, {}}, parse_changelog(kNewer)).older),
              Texts{"7.2.7-1"});
}

TEST(ChangelogTest, WithoutTheOlderOneVersionsDecide) {
    const KernelChanges changes = changes_between({}, {{7, 3}, 7}, parse_changelog(kNewer));
    EXPECT_EQ(versions(changes.newer), (Texts{"7.3.3-1~bpo13+1", "7.3.3-1", "7.3.1-1~exp1"}));
    EXPECT_TRUE(changes.older.empty());
    EXPECT_EQ(
        versions(changes_between({{"6.1-1", {}}}, {{7, 3}, 7}, parse_changelog(kNewer)).newer),
        versions(changes.newer));
}

TEST(ChangelogTest, Relevance) {
    EXPECT_EQ(relevance("io_uring/zcrx: fix"), 0U);
    EXPECT_LT(*relevance("net: page pool: fix"), *relevance("tcp: fix"));
    for (const char* about : {"net/mlx5e: fix", "bnxt_en: fix", "[amd64] gve: fix", "TCP: fix",
                              "netdev: fix", "io-uring: fix", "net: devmem: fix", "eth: fbnic"})
        EXPECT_TRUE(relevance(about)) << about;
    for (const char* other : {"mptcp: fix", "drm: fix", "", "wifi: forgive"})
        EXPECT_FALSE(relevance(other)) << other;
}

TEST(ChangesTextTest, ShowsTheNearestFirstAndCountsTheRest) {
    const KernelChanges changes =
        changes_between(parse_changelog(kOlder), {{7, 2, 7}, {}}, parse_changelog(kNewer));
    const std::string text = relevant_text(changes, "7.2.7", "7.3.3");
    EXPECT_TRUE(says(text, "8 changes in 7.3.3 that are not in 7.2.7; 3 are about")) << text;
    EXPECT_TRUE(says(text, "1 change in 7.2.7 that is not in 7.3.3; 1 is about")) << text;
    EXPECT_LT(text.find("zcrx: fix"), text.find("PAGE_POOL_STATS")) << text;
    EXPECT_LT(text.find("PAGE_POOL_STATS"), text.find("mlx5e")) << text;
    EXPECT_FALSE(says(text, "wifi")) << text;
    EXPECT_TRUE(says(text, "https://kernelnewbies.org/Linux_7.3\n")) << text;
    const std::string all = full_text(changes, "7.2.7", "7.3.3");
    EXPECT_TRUE(says(all, "  - wifi: a plain one\n")) << all;
    EXPECT_TRUE(says(all, "  * [amd64] net/mlx5e: fix a leak\n")) << all;
    EXPECT_TRUE(says(all, "only in the old one")) << all;
}

TEST(ChangesTextTest, NothingDiffers) {
    EXPECT_EQ(relevant_text({}, "7.2.7", "7.3.3"),
              "Debian's changelog tells of nothing that differs.\n");
}

TEST(ChangesTextTest, UpstreamsOwn) {
    const std::string same = upstream_text("6.18.5", "6.18.7");
    EXPECT_TRUE(says(same, "/v6.x/ChangeLog-6.18.6\n")) << same;
    EXPECT_TRUE(says(same, "/v6.x/ChangeLog-6.18.7\n")) << same;
    EXPECT_FALSE(says(same, "ChangeLog-6.18.5\n")) << same;
    EXPECT_TRUE(says(same, "git log --oneline v6.18.5..v6.18.7 -- io_uring")) << same;
    EXPECT_FALSE(says(upstream_text("7.2.13", "7.3-rc7"), "ChangeLog"));
    EXPECT_TRUE(says(upstream_text("7.2.13", "7.3-rc7"), "v7.2.13..v7.3-rc7"));
}

}  // namespace
}  // namespace zcrxlab
