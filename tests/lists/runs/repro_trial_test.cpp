// Repro trials: what an end of a program and of its guest says of the kernel.
#include "lists/runs/repro_trial.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace zcrxlab {
namespace {

struct Row {
    const char* name;
    VmState state;
    int exit;
    bool started;
    const char* complaint;
    ReproVerdict verdict;
    const char* words;  // of what was said
};

constexpr Row kRows[] = {
    {"good", VmState::kDone, 0, true, "", ReproVerdict::kGood, "good: as promised"},
    {"bad", VmState::kDone, 1, true, "", ReproVerdict::kBad, "good: as promised"},
    {"skipped", VmState::kDone, 77, true, "", ReproVerdict::kNotJudged, "good: as promised"},
    {"segfault", VmState::kDone, 139, true, "", ReproVerdict::kNotJudged, "exit code 139"},
    {"warning", VmState::kDone, 0, true, "WARNING: at x", ReproVerdict::kBad, "WARNING: at x"},
    {"panic", VmState::kPanicked, 255, true, "", ReproVerdict::kBad, "the reason"},
    {"hang", VmState::kTimedOut, 124, true, "", ReproVerdict::kBad, "came to an end; the reason"},
    {"no boot", VmState::kTimedOut, 124, false, "", ReproVerdict::kNotJudged, "the reason"},
    {"no QEMU", VmState::kLost, 255, true, "", ReproVerdict::kNotJudged, "the reason"},
    {"Ctrl-C", VmState::kInterrupted, 130, true, "", ReproVerdict::kNotJudged, "the reason"},
};

TEST(ReproTrials, AreJudgedByHowTheyEnd) {
    for (const Row& row : kRows) {
        ProgramEnd end;
        end.state = row.state;
        end.exit = row.exit;
        if (row.state != VmState::kDone) end.reason = "the reason";
        end.started = row.started;
        ReproTrial trial;
        judge(end, "one\ngood: as promised\n", row.complaint, trial);
        EXPECT_EQ(trial.verdict, row.verdict) << row.name;
        EXPECT_NE(trial.said.find(row.words), std::string::npos) << row.name << ": " << trial.said;
    }
}

TEST(ReproTrials, AreJudgedByTheRunOfAList) {
    const auto judged = [](TestStatus status, Ending ending, Reached reached) {
        RunSummary run;
        run.kernel = "7.2.6";
        run.ending = ending;
        run.ending_message = "the reason";
        run.tests = {{.name = "actions.x",
                      .status = status,
                      .message = "lists/x.cpp:1: Failed\nthis is wrong\nIt claims: y.",
                      .reached = reached}};
        ReproTrial trial;
        judge(run, trial);
        EXPECT_EQ(trial.kernel, "7.2.6");
        return std::pair(trial.verdict, trial.said);
    };
    using Pair = std::pair<ReproVerdict, std::string>;
    EXPECT_EQ(judged(TestStatus::kFailed, Ending::kFinished, Reached::kEnd),
              Pair(ReproVerdict::kBad, "This is wrong."));
    EXPECT_EQ(judged(TestStatus::kPassed, Ending::kFinished, Reached::kEnd).first,
              ReproVerdict::kGood);
    EXPECT_EQ(judged(TestStatus::kSkipped, Ending::kFinished, Reached::kEnd).first,
              ReproVerdict::kNotJudged);
    EXPECT_EQ(judged(TestStatus::kLost, Ending::kPanicked, Reached::kStart),
              Pair(ReproVerdict::kBad, "the reason"));
    EXPECT_EQ(judged(TestStatus::kLost, Ending::kTimeout, Reached::kNothing).first,
              ReproVerdict::kNotJudged);
    EXPECT_EQ(judged(TestStatus::kLost, Ending::kLost, Reached::kStart).first,
              ReproVerdict::kNotJudged);
    ReproTrial nothing;
    judge(RunSummary{.ending = Ending::kLost, .ending_message = "no QEMU"}, nothing);
    EXPECT_EQ(nothing.verdict, ReproVerdict::kNotJudged);
    EXPECT_EQ(nothing.said, "no QEMU");
}

}  // namespace
}  // namespace zcrxlab
