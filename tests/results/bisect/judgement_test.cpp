// Verdicts of runs, and whether the ends are what they are said to be.
#include <gtest/gtest.h>

#include "results/bisect/judgement.hpp"
#include "tests/results/bisect/says.hpp"

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

MatrixRun run(const char* kernel, std::vector<TestResult> tests,
              Ending ending = Ending::kFinished) {
    MatrixRun run;
    run.kernel = kernel;
    run.nic = "gve";
    run.state = RunState::kRan;
    run.results.tests = std::move(tests);
    run.results.ending = ending;
    if (ending != Ending::kFinished) run.results.ending_message = "The guest is gone.";
    return run;
}

TestResult test(const char* name, TestStatus status, const char* message = "") {
    TestResult result;
    result.name = name;
    result.status = status;
    result.message = message;
    return result;
}

constexpr auto kPassed = TestStatus::kPassed;
constexpr auto kFailed = TestStatus::kFailed;
constexpr auto kKnown = TestStatus::kKnown;
constexpr auto kSkipped = TestStatus::kSkipped;
constexpr auto kLost = TestStatus::kLost;

TEST(JudgementTest, PassedIsGoodFailedAndKnownAreBad) {
    EXPECT_EQ(judge(run("7.2", {test("a.b", kPassed)}), {"a.b"}).verdict, Verdict::kGood);
    EXPECT_EQ(judge(run("7.2", {test("a.b", kFailed)}), {"a.b"}).verdict, Verdict::kBad);
    const Judgement known = judge(run("7.2", {test("a.b", kKnown, "lost a byte")}), {"a.b"});
    EXPECT_EQ(known.verdict, Verdict::kBad);
    ASSERT_EQ(known.tests.size(), 1U);
    EXPECT_EQ(known.tests[0].status, "known");
    EXPECT_EQ(known.tests[0].said, "lost a byte");
}

TEST(JudgementTest, OneThatFailsMakesItBad) {
    const MatrixRun mixed = run("7.2", {test("a.b", kPassed), test("a.c", kFailed)});
    EXPECT_EQ(judge(mixed, {"a.b", "a.c"}).verdict, Verdict::kBad);
    EXPECT_EQ(judge(mixed, {"a.b"}).verdict, Verdict::kGood);
}

TEST(JudgementTest, WhatSaysNothingIsUnclear) {
    const Judgement skipped = judge(run("6.16", {test("a.b", kSkipped, "no page pool")}), {"a.b"});
    EXPECT_EQ(skipped.verdict, Verdict::kUnclear);
    EXPECT_EQ(skipped.why, "a.b was skipped: no page pool");
    const Judgement blocked =
        judge(run("6.18", {test("a.b", TestStatus::kBlocked, "it starves")}), {"a.b"});
    EXPECT_EQ(blocked.verdict, Verdict::kUnclear);
    EXPECT_EQ(blocked.why, "a.b was blocked: it starves");
    EXPECT_EQ(
        judge(run("7.2", {test("a.b", kPassed), test("a.c", kSkipped)}), {"a.b", "a.c"}).verdict,
        Verdict::kUnclear);
    EXPECT_EQ(judge(run("7.2", {test("a.b", kPassed)}), {"a.b", "a.c"}).verdict, Verdict::kUnclear);

    const Judgement no_boot = judge(run("7.2", {}, Ending::kTimeout), {"a.b"});
    EXPECT_EQ(no_boot.verdict, Verdict::kUnclear);
    EXPECT_EQ(no_boot.why, "The guest is gone.");
    EXPECT_EQ(judge(run("7.2", {}), {}).verdict, Verdict::kUnclear);

    MatrixRun not_started;
    not_started.state = RunState::kNotStarted;
    not_started.message = "It could not be fetched.";
    EXPECT_EQ(judge(not_started, {"a.b"}).verdict, Verdict::kUnclear);
    EXPECT_EQ(judge(not_started, {"a.b"}).why, "It could not be fetched.");
}

TEST(JudgementTest, APanicIsBadForTheTestThatRan) {
    const auto lost = [](Reached reached, Ending ending) {
        TestResult result = test("a.b", kLost, "Not one word of this is read.");
        result.reached = reached;
        return judge(run("7.2", {result}, ending), {"a.b"}).verdict;
    };
    EXPECT_EQ(lost(Reached::kStart, Ending::kPanicked), Verdict::kBad);
    EXPECT_EQ(lost(Reached::kNothing, Ending::kPanicked), Verdict::kUnclear);
    EXPECT_EQ(lost(Reached::kStart, Ending::kTimeout), Verdict::kUnclear);
    EXPECT_EQ(lost(Reached::kStart, Ending::kLost), Verdict::kUnclear);
}

TEST(JudgementTest, WithoutNamesThoseCountThatCanBeJudged) {
    const Judgement judgement = judge(run("7.2", {test("a.b", kPassed), test("a.c", kSkipped)}));
    EXPECT_EQ(judgement.verdict, Verdict::kGood);
    EXPECT_EQ(judgement.tests.size(), 1U);
}

Result<Names> compared(const MatrixRun& good, const MatrixRun& bad) {
    return compared_tests(good, bad, "zcrxlab bisect a.*", "zcrxlab matrix --filter a.*");
}

std::string refusal(const MatrixRun& good, const MatrixRun& bad) {
    const auto tests = compared(good, bad);
    return tests ? std::string("it is accepted") : tests.error().sentence;
}

TEST(ComparedTestsTest, AreThoseThatDiffer) {
    const auto tests =
        compared(run("7.3.4", {test("a.b", kPassed), test("a.c", kPassed), test("a.d", kSkipped)}),
                 run("7.2.6", {test("a.b", kKnown), test("a.c", kPassed), test("a.d", kFailed)}));
    ASSERT_TRUE(tests) << tests.error().sentence;
    EXPECT_EQ(*tests, Names{"a.b"});
}

TEST(ComparedTestsTest, GoodThatIsBad) {
    const std::string text = refusal(run("7.2.12", {test("a.b", kKnown, "lost a byte")}),
                                     run("7.2.6", {test("a.b", kFailed)}));
    EXPECT_TRUE(says(text, "--good 7.2.12 is bad: a.b is known: lost a byte")) << text;
    EXPECT_TRUE(says(text, "zcrxlab matrix --filter a.*")) << text;
}

TEST(ComparedTestsTest, BadThatIsGood) {
    const std::string text =
        refusal(run("7.2.12", {test("a.b", kPassed)}), run("7.3.4", {test("a.b", kPassed)}));
    EXPECT_TRUE(says(text, "--bad 7.3.4 is good")) << text;
    EXPECT_TRUE(says(text, "zcrxlab matrix --filter a.*")) << text;
}

TEST(ComparedTestsTest, TheOtherWayRound) {
    const std::string text =
        refusal(run("7.2.12", {test("a.b", kKnown)}), run("7.3.4", {test("a.b", kPassed)}));
    EXPECT_TRUE(says(text, "zcrxlab bisect a.* --good 7.3.4 --bad 7.2.12")) << text;
}

TEST(ComparedTestsTest, EndsThatCannotBeJudged) {
    const MatrixRun skipped = run("6.16.3", {test("a.b", kSkipped, "no page pool")});
    const std::string good = refusal(skipped, run("7.2.6", {test("a.b", kFailed)}));
    EXPECT_TRUE(says(good, "--good 6.16.3 cannot be judged: a.b was skipped: no page pool. Name"))
        << good;
    const std::string bad = refusal(run("7.2.6", {test("a.b", kPassed)}), skipped);
    EXPECT_TRUE(says(bad, "--bad 6.16.3 cannot be judged")) << bad;
    EXPECT_TRUE(says(bad, "zcrxlab matrix --filter a.*")) << bad;
}

TEST(ComparedTestsTest, NothingThatBothSayAWordAbout) {
    const std::string text =
        refusal(run("7.3.4", {test("a.b", kSkipped), test("a.c", kPassed)}),
                run("7.2.6", {test("a.b", kFailed, "lost"), test("a.c", kPassed)}));
    EXPECT_TRUE(says(text, "a.b is failed: lost")) << text;
    EXPECT_TRUE(says(text, "--good 7.3.4")) << text;
}

}  // namespace
}  // namespace zcrxlab
