// What counts as noticed.
#include "results/coverage/verdict_on_patch.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

TestResult result(const std::string& name, TestStatus status, const std::string& message = "") {
    return {.name = name, .status = status, .message = message};
}

RunSummary run(std::vector<TestResult> tests, Ending ending = Ending::kFinished) {
    RunSummary summary;
    summary.tests = std::move(tests);
    summary.ending = ending;
    return summary;
}

const RunSummary kBefore =
    run({result("a.passes", TestStatus::kPassed), result("a.fails", TestStatus::kFailed),
         result("a.known", TestStatus::kKnown)});

TEST(VerdictOnPatch, ANewFailureIsNoticedAndNamed) {
    const auto verdict = verdict_on_patch(
        kBefore, run({result("a.fails", TestStatus::kFailed, "old"),
                      result("a.passes", TestStatus::kFailed,
                             "It stopped.\nI5 (buffers are conserved) does not hold: x\nI1 (every "
                             "byte) does not hold: y\nI5 (again)\nI10 (nothing forbidden) does "
                             "not hold: z\nIt claims: z\nI (is none)")},
                     Ending::kInterrupted));
    EXPECT_TRUE(verdict.noticed);
    EXPECT_EQ(verdict.test, "a.passes");
    EXPECT_EQ(verdict.invariants, "I5, I1, I10");
    EXPECT_EQ(verdict.said, "It stopped.");
}

TEST(VerdictOnPatch, WhatWasSeenBelongsToWhatWasExpected) {
    const auto verdict = verdict_on_patch(
        kBefore, run({result("a.passes", TestStatus::kFailed,
                             "x.cpp:3: Expected:\n  a\n    Which is: 1\nI5 (again)")}));
    EXPECT_EQ(verdict.said, "x.cpp:3: Expected:\n  a\n    Which is: 1");
}

TEST(VerdictOnPatch, WhatFailedBeforeNoticesNothing) {
    EXPECT_FALSE(verdict_on_patch(kBefore, kBefore).noticed);
    // A person ended it.
    EXPECT_FALSE(verdict_on_patch(
                     kBefore, run({result("a.passes", TestStatus::kLost)}, Ending::kInterrupted))
                     .noticed);
}

TEST(VerdictOnPatch, ALostGuestHasNoticed) {
    for (const Ending ending : {Ending::kPanicked, Ending::kLost, Ending::kTimeout}) {
        RunSummary after = run({result("a.fails", TestStatus::kLost, "one"),
                                result("a.passes", TestStatus::kLost, "other")},
                               ending);
        after.tests[0].reached = Reached::kNothing;
        after.tests[1].reached = Reached::kStart;
        after.ending_message = "Oops";
        const auto verdict = verdict_on_patch(kBefore, after);
        EXPECT_TRUE(verdict.noticed);
        EXPECT_EQ(verdict.test, "a.passes");
        EXPECT_EQ(verdict.said, "Oops");
        EXPECT_TRUE(verdict.guest_ended);
        EXPECT_EQ(verdict.panicked, ending == Ending::kPanicked);
    }
    EXPECT_EQ(verdict_on_patch(kBefore, run({}, Ending::kLost)).test, "");
}

// Its kernel had no memory, and killed who runs the scenarios.
TEST(VerdictOnPatch, AGuestThatIsDoneBeforeItsScenariosHasNoticed) {
    RunSummary after = run({result("a.passes", TestStatus::kLost, "It was killed."),
                            result("a.known", TestStatus::kLost, "It had not started.")});
    after.tests[0].reached = Reached::kStart;
    after.tests[1].reached = Reached::kNothing;
    const auto verdict = verdict_on_patch(kBefore, after);
    EXPECT_TRUE(verdict.noticed);
    EXPECT_TRUE(verdict.guest_ended);
    EXPECT_FALSE(verdict.panicked);
    EXPECT_EQ(verdict.test, "a.passes");
    EXPECT_EQ(verdict.said, "It was killed.");
    after.tests[0].reached = Reached::kNothing;
    EXPECT_FALSE(verdict_on_patch(kBefore, after).noticed);
}

// The one who runs them died at its first step.
TEST(VerdictOnPatch, AGuestThatRanNoneHasNoticed) {
    const auto verdict = verdict_on_patch(kBefore, run({}));
    EXPECT_TRUE(verdict.noticed);
    EXPECT_TRUE(verdict.guest_ended);
    EXPECT_FALSE(verdict.panicked);
    EXPECT_EQ(verdict.test, "");
    EXPECT_EQ(verdict.said, "No scenario was run.");
    EXPECT_FALSE(verdict_on_patch(run({}), run({})).noticed) << "nobody was asked";
}

TEST(VerdictOnPatch, AScenarioThatFailsWithoutThePatchProvesNothing) {
    EXPECT_TRUE(is_proof({1, 3}, {0, 3}));
    EXPECT_FALSE(is_proof({0, 3}, {0, 3}));
    EXPECT_FALSE(is_proof({3, 3}, {1, 3}));
    EXPECT_FALSE(is_proof({1, 3}, {0, 1})) << "it was not asked as often";
}

TEST(VerdictOnPatch, OnlyScenariosThatDidNotFailAreRunAgain) {
    EXPECT_EQ(sound_tests(kBefore), (std::vector<std::string>{"a.passes", "a.known"}));
}

}  // namespace
}  // namespace zcrxlab
