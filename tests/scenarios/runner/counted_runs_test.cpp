// Numbers of known, blocked and skipped tests, held against those that a person has counted.
#include "scenarios/known_issues/counted_runs.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

constexpr CountedRun kRow{.nic = "gve",
                          .first = "7.3.4",
                          .last = "7.3.12",
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
    constexpr CountedRun kNothing{
        .nic = "gve", .first = "7.3.4", .last = "7.3.4", .skipped = kEveryOne};
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
    for (const char* release : {"7.3.4+deb13-cloud-amd64", "7.3.9+deb13-amd64", "7.3.12+deb14"})
        EXPECT_EQ(find_counted_run(rows, "gve", release), &kRow) << release;
    EXPECT_EQ(find_counted_run(rows, "nodev", "7.3.4+deb13-cloud-amd64"), nullptr);
    for (const char* release : {"7.3.3+deb13-amd64", "7.3.13+deb13-amd64", "7.3.40+deb13-amd64",
                                "7.2.9+deb13-amd64", "7.4.9+deb13-amd64"})
        EXPECT_EQ(find_counted_run(rows, "gve", release), nullptr) << release;
}

TEST(CountedRuns, AKernelOfOnesOwnHasNoRow) {
    const std::span rows(&kRow, 1);
    for (const char* release :
         {"7.3.4", "7.3.4-faults", "7.3.4-amd64", "7.3.4-cloud-amd64", "", "x"})
        EXPECT_EQ(find_counted_run(rows, "gve", release), nullptr) << release;
}

// What 7.3-rc7 says of itself.
TEST(CountedRuns, ACandidateOfDebiansDoesNotSayWhoseItIs) {
    constexpr CountedRun kCandidate{.nic = "gve", .first = "7.3", .last = "7.3"};
    const std::span rows(&kCandidate, 1);
    for (const char* release : {"7.3-amd64", "7.3-cloud-amd64"})
        EXPECT_EQ(find_counted_run(rows, "gve", release), &kCandidate) << release;
    for (const char* release : {"7.3", "7.3-faults", "7.3-rc7"})
        EXPECT_EQ(find_counted_run(rows, "gve", release), nullptr) << release;
}

TEST(CountedRuns, EachRowMakesSense) {
    EXPECT_FALSE(counted_runs().empty());
    for (const CountedRun& row : counted_runs()) {
        EXPECT_LE(numbers_of(row.first), numbers_of(row.last)) << row.nic << row.first;
        EXPECT_LE(row.blocked_least, row.blocked_most) << row.nic << row.first;
        for (const CountedRun& other : counted_runs())
            EXPECT_TRUE(&other == &row || other.nic != row.nic ||
                        numbers_of(other.last) < numbers_of(row.first) ||
                        numbers_of(other.first) > numbers_of(row.last))
                << row.nic << " " << row.first << " and " << other.first;
    }
}

}  // namespace
}  // namespace zcrxlab
