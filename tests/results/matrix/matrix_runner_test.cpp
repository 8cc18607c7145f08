// Runs and fetches by a program that only pretends.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "results/matrix/matrix_runner.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

// As zcrxlab: "kernels --fetch K", "run --kernel K --nic N --out DIR ...". What K is says how it
// goes.
constexpr const char* kProgram = R"sh(#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
if [ "$1" = kernels ]; then
    [ "$3" != gone ] || { echo "zcrxlab: There is no such kernel."; exit 64; }
    exit 0
fi
kernel=$3 out=$7
case $kernel in
    broken) echo "zcrxlab: The image is broken."; exit 64 ;;
    slow) trap 'touch "$(dirname "$0")/cleaned"; exit 130' TERM; kill -TERM "$PPID"
          while :; do sleep 0.05; done ;;
    killed) exit 130 ;;
    half) echo '{"ending":' >"$out/results.json"; exit 0 ;;
    dies) ending=panicked ;;
    *) ending=finished ;;
esac
echo '{"ending":"'$ending'","tests":[{"name":"a.b","status":"passed"}]}' >"$out/results.json"
)sh";

class MatrixRunnerTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_.write("program", kProgram);
        std::filesystem::permissions(folder_.path() / "program", std::filesystem::perms::owner_all);
        order_.program = (folder_.path() / "program").string();
        order_.there = [](const std::string& kernel) {
            return kernel != "gone" && kernel != "far";
        };
        order_.obstacle = [](const PlannedRun& run) -> Result<std::string> {
            if (run.kernel == "unfit") return Error{EINVAL, "This is no kernel."};
            return std::string(run.kernel == "old" ? "It is too old." : "");
        };
        order_.command = [](const PlannedRun& run) { return "run " + run.kernel; };
        order_.options = {"--seed", "7"};
        order_.filter = "a.*";
    }

    Result<bool> run(const std::vector<std::string>& kernels) {
        const auto out = MatrixFolder::open(folder_.path() / "out");
        if (!out) return out.error();
        Schedule schedule(planned_runs(kernels, {"gve"}), 1);
        return run_matrix(
            schedule, order_, *out, [](const std::string&) {},
            [&](const MatrixRun& run) { ended_[run.kernel] = run; });
    }

    TemporaryFolder folder_;
    MatrixOrder order_;
    std::map<std::string, MatrixRun> ended_;
};

TEST_F(MatrixRunnerTest, WhateverBecomesOfOneTheOthersGoOn) {
    const auto complete = run({"good", "dies", "broken", "half", "gone", "old", "unfit", "far"});
    ASSERT_TRUE(complete) << complete.error().sentence;
    EXPECT_TRUE(*complete);
    ASSERT_EQ(ended_.size(), 8U);
    EXPECT_EQ(ended_["good"].state, RunState::kRan);
    EXPECT_EQ(ended_["good"].results.tests.size(), 1U);
    EXPECT_EQ(ended_["good"].command, "run good");
    EXPECT_EQ(ended_["good"].cost.fetch_seconds, 0);
    EXPECT_EQ(ended_["far"].state, RunState::kRan);
    EXPECT_GT(ended_["far"].cost.fetch_seconds, 0);
    EXPECT_EQ(ended_["dies"].results.ending, Ending::kPanicked);
    EXPECT_EQ(ended_["broken"].state, RunState::kNotStarted);
    EXPECT_NE(ended_["broken"].message.find("The image is broken."), std::string::npos);
    EXPECT_EQ(ended_["half"].state, RunState::kNotStarted);
    EXPECT_EQ(ended_["gone"].state, RunState::kNotStarted);
    EXPECT_NE(ended_["gone"].message.find("no such kernel"), std::string::npos);
    EXPECT_EQ(ended_["old"].state, RunState::kNotSupported);
    EXPECT_EQ(ended_["unfit"].state, RunState::kNotStarted);
    const std::string calls = folder_.read("calls");
    EXPECT_NE(calls.find("run --kernel good --nic gve --out " +
                         (folder_.path() / "out/good-gve").string() + " --seed 7 --filter a.*\n"),
              std::string::npos)
        << calls;
    EXPECT_EQ(calls.find("old"), std::string::npos);
}

TEST_F(MatrixRunnerTest, AnOldResultIsNotTakenForANewOne) {
    folder_.write("out/broken-gve/results.json", R"({"ending":"finished","tests":[]})");
    ASSERT_TRUE(run({"broken"}));
    EXPECT_EQ(ended_["broken"].state, RunState::kNotStarted);
}

TEST_F(MatrixRunnerTest, InterruptedItLetsRunsCleanUpAndTellsOfNone) {
    const auto complete = run({"good", "slow"});
    ASSERT_TRUE(complete);
    EXPECT_FALSE(*complete);
    EXPECT_TRUE(ended_.empty());
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "cleaned"));
}

TEST_F(MatrixRunnerTest, ARunThatSomebodyElseInterruptsIsNoResult) {
    const auto complete = run({"good", "killed"});
    ASSERT_TRUE(complete);
    EXPECT_FALSE(*complete);
    EXPECT_TRUE(ended_.empty());
}

}  // namespace
}  // namespace zcrxlab
