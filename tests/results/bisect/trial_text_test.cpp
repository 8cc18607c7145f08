// What a person reads while it goes on, and at its end.
#include <gtest/gtest.h>

#include "results/bisect/trial_text.hpp"
#include "tests/results/bisect/says.hpp"

namespace zcrxlab {
namespace {

Trial trial(const char* kernel, Verdict verdict, std::vector<JudgedTest> tests) {
    Trial trial;
    trial.run.kernel = kernel;
    trial.run.cost.seconds = 31.4;
    trial.run.folder = "folder-of-it";
    trial.judgement.verdict = verdict;
    trial.judgement.why = verdict == Verdict::kUnclear ? "a.b was skipped: no page pool" : "";
    trial.judgement.tests = std::move(tests);
    return trial;
}

TEST(TrialTextTest, OneLineAndTheSymptoms) {
    EXPECT_EQ(trial_text(trial("7.3.4", Verdict::kGood, {{"a.b", Verdict::kGood, "passed", ""}}),
                         "5 left", nullptr, false),
              "7.3.4         good               31 s  5 left\n");
    EXPECT_EQ(trial_text(trial("7.2.6", Verdict::kBad,
                               {{"a.b", Verdict::kBad, "known", "lost\na \x1b[31m byte"},
                                {"a.c", Verdict::kGood, "passed", ""}}),
                         "none left", nullptr, false),
              "7.2.6         bad                31 s  none left\n"
              "    a.b known: lost a [31m byte\n");
    Trial unclear = trial("6.16.12-amd64", Verdict::kUnclear, {});
    unclear.earlier = true;
    EXPECT_EQ(trial_text(unclear, "1 left", nullptr, false),
              "6.16.12-amd64 cannot be judged   31 s  1 left, tried earlier\n"
              "    a.b was skipped: no page pool\n");
}

TEST(TrialTextTest, LongOnesAreCutUnlessAskedFor) {
    std::vector<JudgedTest> tests(9, {"a.b", Verdict::kBad, "failed", std::string(900, 'x')});
    const Trial bad = trial("7.2.6", Verdict::kBad, tests);
    const std::string text = trial_text(bad, "", nullptr, false);
    EXPECT_TRUE(says(text, "and 3 more\n")) << text;
    EXPECT_TRUE(says(text, "-v shows all")) << text;
    EXPECT_FALSE(says(text, std::string(700, 'x'))) << text;
    const std::string all = trial_text(bad, "", nullptr, true);
    EXPECT_TRUE(says(all, std::string(900, 'x'))) << all;
    EXPECT_TRUE(says(all, "folder-of-it")) << all;
    EXPECT_FALSE(says(all, "more")) << all;
}

TEST(TrialTextTest, WhatWasSaidBeforeIsNotToldAgain) {
    const Trial first = trial("7.2.6", Verdict::kBad, {{"a.b", Verdict::kBad, "known", "lost"}});
    const Trial same = trial("7.2.9", Verdict::kBad, {{"a.b", Verdict::kBad, "known", "lost"}});
    const Trial other = trial("7.2.9", Verdict::kBad, {{"a.b", Verdict::kBad, "known", "late"}});
    const std::string text = trial_text(same, "", &first, false);
    EXPECT_TRUE(says(text, "a.b known, just as on 7.2.6\n")) << text;
    EXPECT_TRUE(says(trial_text(other, "", &first, false), "a.b known: late\n"));
    EXPECT_TRUE(says(trial_text(same, "", &first, true), "lost")) << "-v tells all";
}

TEST(TrialTextTest, HowManyAreLeft) {
    EXPECT_EQ(left_text(Bisection(2, Verdict::kGood), 30), "none left");
    EXPECT_EQ(left_text(Bisection(3, Verdict::kGood), 30),
              "1 kernel left, 1 more to try at most, about 30 s");
    Bisection nine(9, Verdict::kGood);
    EXPECT_EQ(left_text(nine, 90), "7 kernels left, 3 more to try at most, about 5 min");
    nine.tell(4, Verdict::kUnclear);
    EXPECT_EQ(left_text(nine, 10), "6 kernels left, 6 more to try at most, about 60 s");
}

TEST(ResultTextTest, NamesBothNeighbours) {
    Bisection bisection(3, Verdict::kBad);
    bisection.tell(1, Verdict::kBad);
    const std::string text = result_text(
        bisection, {"7.2.6", "7.2.12", "7.3.4"},
        trial("7.2.12", Verdict::kBad, {{"a.b", Verdict::kBad, "known", "lost a byte"}}),
        trial("7.3.4", Verdict::kGood, {{"a.b", Verdict::kGood, "passed", ""}}),
        {"run --kernel 7.2.12", "run --kernel 7.3.4"});
    EXPECT_TRUE(says(text, "7.2.12 is the newest bad kernel, 7.3.4 the oldest good one")) << text;
    EXPECT_TRUE(says(text, "a.b known: lost a byte")) << text;
    EXPECT_TRUE(says(text, "  run --kernel 7.2.12\n")) << text;
    EXPECT_FALSE(says(text, "cannot be judged")) << text;
    EXPECT_FALSE(says(text, "more than once")) << text;
}

TEST(ResultTextTest, NamesWhatCouldNotBeJudgedAndWhatSpeaksAgainstIt) {
    Bisection bisection(5, Verdict::kGood);
    bisection.tell(1, Verdict::kUnclear);
    bisection.tell(2, Verdict::kBad);
    bisection.tell(3, Verdict::kGood);
    const std::string text =
        result_text(bisection, {"7.0", "7.1", "7.2", "7.3", "7.4"},
                    trial("7.0", Verdict::kGood, {}), trial("7.2", Verdict::kBad, {}), {});
    EXPECT_TRUE(says(text, "7.0 is the newest good kernel, 7.2 the oldest bad one")) << text;
    EXPECT_TRUE(says(text, "cannot be judged: 7.1.")) << text;
    EXPECT_TRUE(says(text, "more than once: 7.3")) << text;
}

}  // namespace
}  // namespace zcrxlab
