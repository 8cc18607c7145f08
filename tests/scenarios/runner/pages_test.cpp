// The pages that are made of data: what stands in them, and that no text breaks a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "scenarios/contract/contract_page.hpp"
#include "scenarios/contract/markdown.hpp"
#include "scenarios/known_issues/findings_page.hpp"
#include "scenarios/runner/invariants_page.hpp"

namespace zcrxlab {
namespace {

TEST(Markdown, TextStaysWhatItIs) {
    EXPECT_EQ(as_cell("plain text, 4 KiB: (yes)"), "plain text, 4 KiB: (yes)");
    EXPECT_EQ(as_cell("a|b"), "a\\|b");
    EXPECT_EQ(as_cell("*a* <b> [c](d) `e` \\ &amp; ~f~"),
              "\\*a\\* \\<b\\> \\[c\\](d) \\`e\\` \\\\ \\&amp; \\~f\\~");
    EXPECT_EQ(as_cell("two\nlines\r\n"), "two lines  ");
}

TEST(Markdown, AnUnderscoreInsideANameIsNoEmphasis) {
    EXPECT_EQ(as_cell("io_uring/zcrx.c:io_zcrx_recv"), "io_uring/zcrx.c:io_zcrx_recv");
    EXPECT_EQ(as_cell("tcp.c:__tcp_read_sock"), "tcp.c:\\_\\_tcp_read_sock");
    EXPECT_EQ(as_cell("a_"), "a\\_");
}

TEST(Markdown, CodeKeepsItsBackticksAndBars) {
    EXPECT_EQ(as_code_cell(""), "");
    EXPECT_EQ(as_code_cell("a_b*"), "`a_b*`");
    EXPECT_EQ(as_code_cell("a|b"), "`a\\|b`");
    EXPECT_EQ(as_code_cell("a`b``c"), "```a`b``c```");
    EXPECT_EQ(as_code_cell("`a"), "`` `a ``");
}

TEST(Markdown, ATableHasAHeadAndRows) {
    EXPECT_EQ(table_head(std::to_array<std::string_view>({"a|", "b"})),
              "| a\\| | b |\n|---|---|\n");
    EXPECT_EQ(table_row(std::to_array<std::string>({"1", ""})), "| 1 |  |\n");
}

constexpr auto kPromises = std::to_array<ContractRow>({
    {.id = "a.one", .promise = "one | 1", .source = "x.c:f", .seen_red_by = "off-by-one"},
    {.id = "a.two", .promise = "two", .source = "x.c", .beyond_reach = "1 | 2"},
    {.id = "b.three", .promise = "three", .source = "y.c"},
});

TEST(ContractPage, HasATableForEachChapter) {
    const std::vector<Claim> claims = {{"s.one", "a.one"},
                                       {"s.table/x", "a.one"},
                                       {"s.table/y", "a.one"},
                                       {"s.lone/x", "b.three"}};
    const Coverage coverage = coverage_of(kPromises, claims, {});
    const std::string page = contract_page(kPromises, coverage, {}, {});
    EXPECT_NE(page.find("There are 3 promises; scenarios claim 2 of them. Seen red: 1; beyond "
                        "reach: 1; neither: 1.\n"),
              page.npos)
        << page;
    EXPECT_NE(page.find("\n## a\n\n| identifier |"), page.npos);
    EXPECT_NE(
        page.find("| `a.one` | one \\| 1 | `x.c:f` | `s.one`, `s.table/*` (2) | `off-by-one` |\n"),
        page.npos);
    EXPECT_NE(page.find("| `a.two` | two | `x.c` |  | beyond reach: 1 \\| 2 |\n\n## b\n"),
              page.npos);
    EXPECT_NE(page.find("| `b.three` | three | `y.c` | `s.lone/x` |  |\n"), page.npos);
}

TEST(ContractPage, LeavesOutWhatIsNotToBeNamed) {
    const std::vector<Claim> claims = {
        {"s.one", "a.one"}, {"s.two", "a.one"}, {"s.one", "a.two"}, {"s.table/x", "b.three"}};
    const std::string page = contract_page(kPromises, coverage_of(kPromises, claims, {}), {},
                                           std::to_array<std::string>({"s.one", "s.table/*"}));
    EXPECT_EQ(page.find("s.one"), page.npos);
    EXPECT_EQ(page.find("s.table"), page.npos);
    EXPECT_NE(page.find("| `x.c:f` | `s.two` |"), page.npos);
}

Finding finding(std::string_view id) {
    return {
        .id = id,
        .breaks = {"a.one"},
        .happens = "it is 2 | 3",
        .source = "x.c:__f",
        .seen_on = "7.0",
        .shown_by = {{.filter = "s.one", .options = "--nic nodev", .remark = "by chance"},
                     {.filter = "s.table/*"}},
    };
}

TEST(ContractPage, ARowIsSeenRedByAFindingThatAScenarioOfItsOwnShows) {
    const std::vector<Claim> claims = {
        {"s.one", "a.one"}, {"s.two", "a.two"}, {"s.table/x", "b.three"}};
    const Coverage coverage = coverage_of(kPromises, claims, {});
    Finding shown = finding("shown");
    shown.breaks = {"a.one", "a.two", "b.three"};
    shown.rules = {{.tests = {"s.one", "s.table/x"}, .blocks = {"s.two"}, .symptom = {}}};
    Finding secret = shown;
    secret.id = "secret";
    secret.embargoed = true;
    const std::string page = contract_page(
        kPromises, coverage, rows_seen_red(std::to_array<Finding>({shown, secret}), coverage), {});
    EXPECT_NE(page.find("Seen red: 2; beyond reach: 1; neither: 0.\n"), page.npos) << page;
    EXPECT_NE(page.find("| `s.one` | `off-by-one`, `shown` |\n"), page.npos) << page;
    EXPECT_NE(page.find("| `s.table/x` | `shown` |\n"), page.npos) << page;
    EXPECT_NE(page.find("| `s.two` | beyond reach: 1 \\| 2 |\n"), page.npos) << page;
    EXPECT_EQ(page.find("secret"), page.npos);
}

TEST(FindingsPage, HasTheOpenOnesAndThoseThatAreFixed) {
    Finding open = finding("open-one");
    open.details = "It is 4 at times";
    Finding fixed = finding("fixed-one");
    fixed.breaks = {};
    fixed.promised = "it is 1";
    fixed.not_on = "7.2";
    fixed.fixed_in = {"7.1"};
    open.assumes = "it is 5";
    fixed.affected = "7.0.1 to 7.0.9";
    fixed.fix = "by 123";
    const std::string page = findings_page(std::to_array<Finding>({fixed, open}), kPromises);
    EXPECT_NE(page.find("| `open-one` | one \\| 1 | it is 2 \\| 3. It is 4 at times. It rests on "
                        "our device: it is 5. Where: "
                        "x.c:\\_\\_f. | 7.0 | `s.one --nic nodev` (by chance), `'s.table/*'` |\n"),
              page.npos)
        << page;
    EXPECT_NE(
        page.find("| `fixed-one` | it is 1 | it is 2 \\| 3. Where: x.c:\\_\\_f. | 7.1 by 123; "
                  "affected: 7.0.1 to 7.0.9 | 7.0 | 7.2 | `s.one"),
        page.npos)
        << page;
    EXPECT_LT(page.find("open-one"), page.find("## Fixed in later kernels"));
    EXPECT_GT(page.find("fixed-one"), page.find("## Fixed in later kernels"));
    EXPECT_NE(page.find("Findings that are not shown here: 0."), page.npos);
}

TEST(FindingsPage, OnlyCountsWhatIsEmbargoed) {
    Finding secret = finding("secret-one");
    secret.embargoed = true;
    const std::string without = findings_page({}, kPromises);
    std::string page = findings_page(std::to_array<Finding>({secret, secret}), kPromises);
    const size_t count = page.find("not shown here: 2.");
    ASSERT_NE(count, page.npos);
    page.replace(count, 18, "not shown here: 0.");
    EXPECT_EQ(page, without);
    EXPECT_EQ(embargoed_scenarios(std::to_array<Finding>({secret, finding("open-one")})),
              (std::vector<std::string>{"s.one", "s.table/*"}));
}

TEST(InvariantsPage, HasARowForEach) {
    const std::string page = invariants_page();
    EXPECT_TRUE(page.starts_with("<!-- invariants")) << page;
    EXPECT_TRUE(page.ends_with("<!-- /invariants -->\n")) << page;
    EXPECT_NE(page.find("| I7 | the kernel log is clean: no WARN, BUG, "), page.npos) << page;
    EXPECT_NE(page.find("| I8 | the NIC's configuration is what it was before |\n"), page.npos);
    EXPECT_EQ(std::ranges::count(page, '\n'), 2 + 2 + 10);
}

}  // namespace
}  // namespace zcrxlab
