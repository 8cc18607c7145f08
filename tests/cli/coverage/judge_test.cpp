// Judge: what counts as noticed, what shows at times only, and what is asked again.
#include "cli/coverage/judge.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/cli/coverage/fake_laboratory.hpp"

namespace zcrxlab {
namespace {

using enum TestStatus;

class JudgeTest : public testing::Test {
  protected:
    JudgeTest() {
        laboratory_.runner = [this](const ScenarioRun& order) -> Result<RunSummary> {
            if (next_.empty()) {
                ADD_FAILURE() << "nobody expected a run of " << order.filter;
                return Error{ECANCELED, "too many runs"};
            }
            RunSummary run = std::move(next_.front());
            next_.pop_front();
            if (run.ending == Ending::kInterrupted) return Error{ECANCELED, "Interrupted."};
            return run;
        };
    }

    // The next runs, of which the first is the one without a mistake.
    Attempt judged(std::deque<RunSummary> runs, const std::string& filter = "") {
        next_ = std::move(runs);
        judge_ = Judge(laboratory_, filter, 2, 2);
        EXPECT_TRUE(judge_.run_reference({"/without", {}}));
        return judged_again({});
    }
    Attempt judged_again(std::deque<RunSummary> runs) {
        for (RunSummary& run : runs) next_.push_back(std::move(run));
        Attempt attempt{.name = "mistake"};
        result_ = judge_.judge(attempt, {"/with", {"--option"}}, {"/without", {}});
        EXPECT_TRUE(next_.empty()) << next_.size() << " runs were not asked for";
        return attempt;
    }
    Attempt judged_by_few(std::deque<RunSummary> runs, const std::vector<std::string>& few) {
        next_ = std::move(runs);
        EXPECT_TRUE(judge_.run_reference({"/without", {}}));
        Attempt attempt{.name = "mistake"};
        result_ = judge_.judge_few(attempt, {"/with", {}}, {"/without", {}}, few);
        EXPECT_TRUE(next_.empty()) << next_.size() << " runs were not asked for";
        return attempt;
    }
    // "with:a.b:c.d", or "without:", of each run.
    std::vector<std::string> asked() const {
        std::vector<std::string> all;
        for (const ScenarioRun& run : laboratory_.runs)
            all.push_back(run.subject.kernel.filename().string() + ":" + run.filter);
        return all;
    }

    const RunSummary all_pass_ = run_of({{"a", kPassed}, {"b", kPassed}, {"c", kPassed}});
    const RunSummary a_fails_ = run_of({{"a", kFailed}});
    const RunSummary a_passes_ = run_of({{"a", kPassed}});

    FakeLaboratory laboratory_;
    std::deque<RunSummary> next_;
    Judge judge_{laboratory_, "", 2, 2};
    Result<void> result_;
};

using Asked = std::vector<std::string>;

TEST_F(JudgeTest, AFailureThatOnlyTheMistakeBringsIsNoticed) {
    const Attempt attempt =
        judged({all_pass_, a_fails_, a_fails_, a_passes_, a_passes_, a_passes_});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.verdict.test, "a");
    EXPECT_EQ(attempt.verdict.said, "a ended so.");
    EXPECT_EQ(attempt.alone.failed, 1U);
    EXPECT_EQ(attempt.alone.runs, 1U);
    EXPECT_EQ(asked(),
              (Asked{"without:", "with:", "with:a", "without:a", "without:a", "without:a"}));
    EXPECT_TRUE(laboratory_.runs[1].fail_fast);
    EXPECT_EQ(laboratory_.runs[1].subject.options, Asked{"--option"});
    EXPECT_EQ(laboratory_.runs[1].vms, "2");
    EXPECT_EQ(laboratory_.runs[2].vms, "1");
    EXPECT_GE(laboratory_.runs[1].seconds, 180U);
}

// Nothing runs beside the first run, and each of the others is one of several.
TEST_F(JudgeTest, TheFirstRunHasTheMachineForItself) {
    RunSummary in_two = all_pass_;
    in_two.properties.emplace_back("vms", "2");
    next_ = {in_two, all_pass_};
    judge_ = Judge(laboratory_, "", 1, 0);
    ASSERT_TRUE(judge_.run_reference({"/without", {}}));
    judged_again({});
    EXPECT_EQ(laboratory_.runs[0].vms, "");
    EXPECT_EQ(laboratory_.runs[1].vms, "1");
}

TEST_F(JudgeTest, ThatAllPassIsNotNoticed) {
    const Attempt attempt = judged({all_pass_, all_pass_});
    EXPECT_TRUE(result_);
    EXPECT_FALSE(attempt.verdict.noticed);
    EXPECT_TRUE(attempt.at_times.empty());
}

TEST_F(JudgeTest, AFailureOfTheKernelAsItIsIsNone) {
    const RunSummary before = run_of({{"a", kFailed}, {"b", kPassed}});
    const Attempt attempt = judged({before, before});
    EXPECT_FALSE(attempt.verdict.noticed);
    EXPECT_EQ(asked(), (Asked{"without:", "with:b"}));
}

TEST_F(JudgeTest, AFailureThatNeverComesAgainIsTold) {
    const Attempt attempt = judged({all_pass_, a_fails_, a_passes_, a_passes_, a_passes_,
                                    run_of({{"b", kPassed}, {"c", kPassed}})});
    EXPECT_FALSE(attempt.verdict.noticed);
    ASSERT_EQ(attempt.at_times.size(), 1U);
    EXPECT_EQ(attempt.at_times[0].test, "a");
    EXPECT_EQ(attempt.at_times[0].with.failed, 0U);
    EXPECT_EQ(attempt.at_times[0].with.runs, 3U);
    EXPECT_EQ(asked().back(), "with:b:c");
}

TEST_F(JudgeTest, WhatComesAgainInOneOfThreeRunsIsNoticedWithItsRate) {
    const Attempt attempt = judged(
        {all_pass_, a_fails_, a_passes_, a_passes_, a_fails_, a_passes_, a_passes_, a_passes_});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.alone.failed, 1U);
    EXPECT_EQ(attempt.alone.runs, 3U);
}

TEST_F(JudgeTest, WhatAlsoFailsWithoutTheMistakeProvesNothing) {
    const RunSummary rest = run_of({{"b", kPassed}, {"c", kPassed}});
    const Attempt attempt =
        judged({all_pass_, a_fails_, a_fails_, a_passes_, a_fails_, a_passes_, rest});
    EXPECT_FALSE(attempt.verdict.noticed);
    ASSERT_EQ(attempt.at_times.size(), 1U);
    EXPECT_EQ(attempt.at_times[0].with.failed, 1U);
    EXPECT_EQ(attempt.at_times[0].without.failed, 1U);
    EXPECT_EQ(attempt.at_times[0].without.runs, 3U);
    // That is known from then on.
    EXPECT_FALSE(judged_again({a_fails_, a_fails_, rest}).verdict.noticed);
}

TEST_F(JudgeTest, AnotherScenarioMayNoticeWhatShowsAtTimes) {
    const RunSummary b_fails = run_of({{"b", kFailed}}), b_passes = run_of({{"b", kPassed}});
    const Attempt attempt = judged({all_pass_, a_fails_, a_passes_, a_passes_, a_passes_, b_fails,
                                    b_fails, b_passes, b_passes, b_passes});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.verdict.test, "b");
    EXPECT_EQ(attempt.at_times.size(), 1U);
}

TEST_F(JudgeTest, WhereNobodyIsLeftToAskNobodyIsAsked) {
    const Attempt attempt = judged({a_passes_, a_fails_, a_passes_, a_passes_, a_passes_}, "a");
    EXPECT_FALSE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.at_times.size(), 1U);
}

// A run that ended so while "b" was running.
RunSummary ended_in_b(Ending ending) {
    RunSummary run = run_of({{"a", kPassed}});
    run.tests.push_back({.name = "b", .status = kLost, .reached = Reached::kStart});
    run.ending = ending;
    run.ending_message = "The guest ended.";
    return run;
}

TEST_F(JudgeTest, AGuestThatPanicsIsNoticed) {
    const Attempt attempt = judged({all_pass_, ended_in_b(Ending::kPanicked)});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_TRUE(attempt.verdict.guest_ended);
    EXPECT_EQ(attempt.verdict.test, "b");
}

TEST_F(JudgeTest, AGuestThatIsLostAgainIsNoticed) {
    for (const Ending ending : {Ending::kTimeout, Ending::kLost}) {
        laboratory_.runs.clear();
        const RunSummary lost = ended_in_b(ending), b_passes = run_of({{"b", kPassed}});
        const Attempt attempt = judged({all_pass_, lost, lost, b_passes, b_passes, b_passes});
        EXPECT_TRUE(attempt.verdict.noticed);
        EXPECT_TRUE(attempt.verdict.guest_ended);
        EXPECT_EQ(asked(),
                  (Asked{"without:", "with:", "with:b", "without:b", "without:b", "without:b"}));
    }
}

TEST_F(JudgeTest, ATimeoutThatDoesNotComeAgainIsTheMachines) {
    const RunSummary b_passes = run_of({{"b", kPassed}});
    const Attempt attempt = judged({all_pass_, ended_in_b(Ending::kTimeout), b_passes, b_passes,
                                    b_passes, run_of({{"a", kPassed}, {"c", kPassed}})});
    EXPECT_FALSE(attempt.verdict.noticed);
    ASSERT_EQ(attempt.at_times.size(), 1U);
    EXPECT_EQ(attempt.at_times[0].test, "b");
    EXPECT_EQ(asked().back(), "with:a:c");
}

TEST_F(JudgeTest, ATimeoutOfTheKernelAsItIsProvesNothing) {
    const RunSummary lost = ended_in_b(Ending::kTimeout), b_passes = run_of({{"b", kPassed}});
    const Attempt attempt = judged({all_pass_, lost, lost, b_passes, lost, b_passes,
                                    run_of({{"a", kPassed}, {"c", kPassed}})});
    EXPECT_FALSE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.at_times[0].without.failed, 1U);
}

TEST_F(JudgeTest, AGuestThatDoesNotComeUpIsAskedForAnyScenario) {
    RunSummary silent;
    silent.ending = Ending::kTimeout;
    const Attempt attempt = judged({all_pass_, silent, silent, a_passes_, a_passes_, a_passes_});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.verdict.test, "");
    EXPECT_EQ(asked()[2], "with:a");
}

TEST_F(JudgeTest, AFewAreAskedInOneVm) {
    const RunSummary passes = run_of({{"c", kPassed}});
    const Attempt attempt = judged_by_few(
        {all_pass_, run_of({{"c", kFailed}}), run_of({{"c", kFailed}}), passes, passes, passes},
        {"c", "b"});
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(asked()[1], "with:c:b");
    EXPECT_EQ(laboratory_.runs[1].vms, "1");
}

TEST_F(JudgeTest, WhatAFewDoNotProveIsNotNoticed) {
    const RunSummary passes = run_of({{"c", kPassed}});
    EXPECT_FALSE(judged_by_few({all_pass_, passes}, {"c"}).verdict.noticed);
    const Attempt attempt =
        judged_by_few({all_pass_, run_of({{"c", kFailed}}), passes, passes, passes}, {"c"});
    EXPECT_FALSE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.verdict.test, "");
    EXPECT_EQ(attempt.at_times.size(), 1U);
    EXPECT_FALSE(judged_by_few({all_pass_}, {}).verdict.noticed);
}

TEST_F(JudgeTest, AnotherNicIsAskedForItself) {
    Attempt attempt = judged({all_pass_, a_fails_, a_passes_, a_passes_, a_passes_,
                              run_of({{"b", kPassed}, {"c", kPassed}})});
    next_ = {all_pass_, a_fails_, a_fails_, a_passes_, a_passes_, a_passes_};
    laboratory_.runs.clear();
    Judge other(laboratory_, "", 2, 2, "nodev");
    ASSERT_TRUE(other.run_reference({"/without", {}}));
    ASSERT_TRUE(other.judge(attempt, {"/with", {}}, {"/without", {}}));
    EXPECT_TRUE(attempt.verdict.noticed);
    EXPECT_EQ(attempt.verdict.nic, "nodev");
    EXPECT_EQ(attempt.at_times.size(), 1U);
    for (const ScenarioRun& run : laboratory_.runs) EXPECT_EQ(run.nic, "nodev");
    EXPECT_EQ(laboratory_.runs[1].name, "mistake-on-nodev");
}

TEST_F(JudgeTest, APersonCanEndIt) {
    RunSummary interrupted;
    interrupted.ending = Ending::kInterrupted;
    judged({all_pass_, interrupted});
    ASSERT_FALSE(result_);
    EXPECT_EQ(result_.error().code, ECANCELED);
}

TEST_F(JudgeTest, WithoutAWholeRunOfTheKernelAsItIsNothingIsJudged) {
    RunSummary lost;
    lost.ending = Ending::kLost;
    lost.ending_message = "QEMU went silent.";
    next_ = {lost};
    const auto ran = judge_.run_reference({"/without", {}});
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().code, EIO);
}

}  // namespace
}  // namespace zcrxlab
