// Numbers of known, blocked and skipped tests, held against those that a person has counted.
#include "scenarios/known_issues/counted_runs.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zcrxlab {
namespace {

constexpr CountedRun kRow{.nic = "gve",
                          .release = "7.3.4+deb",
                          .known = 1,
                          .blocked_least = 1,
                          .blocked_most = 2,
                          .skipped = 1};

// Two scenarios have to show one, and one may.
std::vector<KnownIssue> issues() {
    KnownIssue always{
        .id = "always", .sentence = "it happens", .reference = "x.c:f", .versions = "7.3.4"};
    always.rule.tests = {"a.known", "a.not_on_this_nic"};
    KnownIssue sometimes = always;
    sometimes.rule.tests = {"a.sometimes"};
    sometimes.rule.by_chance = "it needs luck";
    KnownIssue elsewhere = always;
    elsewhere.rule.tests = {"a.of_another_nic"};
    elsewhere.rule.target = "nodev";
    return {always, sometimes, elsewhere};
}

RunSummary run_of(std::vector<TestResult> tests) {
    RunSummary run{.kernel = "7.3.4+deb13-cloud-amd64", .nic = "gve"};
    run.tests = std::move(tests);
    return run;
}

RunSummary as_counted() {
    return run_of({{.name = "a.known", .status = TestStatus::kKnown},
                   {.name = "a.blocked", .status = TestStatus::kBlocked},
                   {.name = "a.skipped", .status = TestStatus::kSkipped},
                   {.name = "a.passed", .status = TestStatus::kPassed}});
}

std::string said_of(const RunSummary& run) {
    return differs(kRow, issues(), run);
}

TEST(CountedRuns, ARunAsItWasCountedIsRight) {
    EXPECT_EQ(said_of(as_counted()), "");
    RunSummary run = as_counted();
    run.tests.push_back({.name = "b.blocked", .status = TestStatus::kBlocked});
    EXPECT_EQ(said_of(run), "");
}

TEST(CountedRuns, OneMoreOrFewerIsSaidWithBothNumbers) {
    RunSummary run = as_counted();
    run.tests.push_back({.name = "a.not_on_this_nic", .status = TestStatus::kKnown});
    EXPECT_EQ(said_of(run),
              "gve on 7.3.4: 2 known, 1 is expected. If that is right, change the row in "
              "scenarios/known_issues/counted_runs.cpp.");
    run = as_counted();
    run.tests[0].status = TestStatus::kPassed;
    run.tests[2].status = TestStatus::kPassed;
    EXPECT_TRUE(said_of(run).starts_with(
        "gve on 7.3.4: 0 known, 1 is expected, without a.known (passed); 0 skipped, 1 is "
        "expected. "))
        << said_of(run);
}

TEST(CountedRuns, BlockedHasTwoBounds) {
    RunSummary run = as_counted();
    run.tests[1].status = TestStatus::kPassed;
    EXPECT_TRUE(said_of(run).starts_with("gve on 7.3.4: 0 blocked, 1 to 2 are expected. "))
        << said_of(run);
    run = as_counted();
    for (const char* name : {"b.x", "b.y"})
        run.tests.push_back({.name = name, .status = TestStatus::kBlocked});
    EXPECT_TRUE(said_of(run).starts_with("gve on 7.3.4: 3 blocked, 1 to 2 are expected. "))
        << said_of(run);
}

TEST(CountedRuns, WhatIsKnownByChanceIsInNoNumber) {
    RunSummary run = as_counted();
    run.tests.push_back({.name = "a.sometimes", .status = TestStatus::kKnown});
    EXPECT_EQ(said_of(run), "");
    // Nor does it stand in for one that is missing.
    run.tests[0].status = TestStatus::kPassed;
    EXPECT_TRUE(
        said_of(run).starts_with("gve on 7.3.4: 0 known, 1 is expected (beside 1 by chance), "
                                 "without a.known (passed). "))
        << said_of(run);
}

TEST(CountedRuns, EveryOneIsAsManyAsThereAre) {
    constexpr CountedRun kNothing{.nic = "gve", .release = "7.3.4+deb", .skipped = kEveryOne};
    RunSummary run = run_of({{.name = "a.x", .status = TestStatus::kSkipped},
                             {.name = "a.y", .status = TestStatus::kSkipped}});
    EXPECT_EQ(differs(kNothing, issues(), run), "");
    run.tests[1].status = TestStatus::kPassed;
    EXPECT_TRUE(
        differs(kNothing, issues(), run).starts_with("gve on 7.3.4: 1 skipped, 2 are expected. "));
}

TEST(CountedRuns, ARunWithoutAnEndHasNoNumbers) {
    RunSummary run = run_of({});
    run.ending = Ending::kPanicked;
    EXPECT_EQ(said_of(run), "");
}

TEST(CountedRuns, ARowIsFoundByNicAndRelease) {
    const std::span rows(&kRow, 1);
    EXPECT_EQ(find_counted_run(rows, "gve", "7.3.4+deb13-cloud-amd64"), &kRow);
    EXPECT_EQ(find_counted_run(rows, "nodev", "7.3.4+deb13-cloud-amd64"), nullptr);
    EXPECT_EQ(find_counted_run(rows, "gve", "7.3.40+deb13-cloud-amd64"), nullptr);
    EXPECT_EQ(find_counted_run(rows, "gve", "7.3.4"), nullptr);
    EXPECT_EQ(find_counted_run(rows, "gve", ""), nullptr);
}

TEST(CountedRuns, EachRowMakesSense) {
    std::set<std::pair<std::string_view, std::string_view>> rows;
    for (const CountedRun& row : counted_runs()) {
        EXPECT_TRUE(rows.emplace(row.nic, row.release).second) << row.nic << row.release;
        EXPECT_LE(row.blocked_least, row.blocked_most) << row.nic << row.release;
        // "7.3.4" alone would be 7.3.40, too, and anybody's kernel. A candidate of Debian's does
        // not say whose it is.
        EXPECT_TRUE(row.release.ends_with("+deb") || row.release.ends_with("-cloud-amd64"))
            << row.release;
    }
    EXPECT_FALSE(rows.empty());
}

}  // namespace
}  // namespace zcrxlab
