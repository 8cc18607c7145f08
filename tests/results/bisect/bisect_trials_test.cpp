// Trials by a program that only pretends, over several calls.
#include <gtest/gtest.h>

#include <filesystem>

#include "results/bisect/bisect_trials.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using Names = std::vector<std::string>;

// As zcrxlab: "run --kernel K --nic N --out DIR ...". What K is says how it goes.
constexpr const char* kProgram = R"sh(#!/bin/sh
echo "$3" >>"$(dirname "$0")/calls"
case $3 in
    broken) exit 64 ;;
    interrupted) exit 130 ;;
    bad) status=known ;;
    *) status=passed ;;
esac
echo '{"ending":"finished","tests":[{"name":"a.b","status":"'$status'"}]}' >"$7/results.json"
)sh";

class TrialsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_.write("program", kProgram);
        std::filesystem::permissions(folder_.path() / "program", std::filesystem::perms::owner_all);
    }

    TrialSettings settings() const {
        TrialSettings settings;
        settings.folder = folder_.path() / "out";
        settings.terms.filter = "a.*";
        settings.order.program = (folder_.path() / "program").string();
        settings.order.filter = "a.*";
        settings.order.there = [](const std::string&) { return true; };
        settings.order.obstacle = [](const PlannedRun& run) -> Result<std::string> {
            return std::string(run.kernel == "old" ? "It is too old." : "");
        };
        settings.order.command = [](const PlannedRun& run) { return "run " + run.kernel; };
        settings.nic = "gve";
        settings.progress = [](const std::string&) {};
        return settings;
    }

    // What one call makes of them: "good+" where it was tried earlier.
    Names call(const Names& kernels) {
        Result<Trials> trials = Trials::open(settings());
        EXPECT_TRUE(trials);
        Names verdicts;
        const auto complete = trials->make(kernels, [&](Trial& trial) {
            trial.judgement = judge(trial.run, {"a.b"});
            verdicts.push_back(std::string(name_of(trial.judgement.verdict)) +
                               (trial.earlier ? "+" : ""));
        });
        EXPECT_TRUE(complete);
        if (complete && !*complete) verdicts.emplace_back("interrupted");
        return verdicts;
    }

    TemporaryFolder folder_;
};

TEST_F(TrialsTest, WhatIsFinishedIsNotRunAgain) {
    EXPECT_EQ(call({"good", "bad", "old"}), (Names{"good", "bad", "cannot be judged"}));
    EXPECT_EQ(call({"good", "other", "bad", "old"}),
              (Names{"good+", "bad+", "cannot be judged+", "good"}));
    EXPECT_EQ(folder_.read("calls"), "good\nbad\nother\n");
}

TEST_F(TrialsTest, WhatCouldNotBeStartedIsTriedAgain) {
    EXPECT_EQ(call({"broken"}), Names{"cannot be judged"});
    EXPECT_EQ(call({"broken"}), Names{"cannot be judged"});
    EXPECT_EQ(folder_.read("calls"), "broken\nbroken\n");
}

TEST_F(TrialsTest, InterruptedItGoesOnWhereItWas) {
    EXPECT_EQ(call({"good", "interrupted", "bad"}), (Names{"good", "interrupted"}));
    EXPECT_EQ(call({"good", "bad"}), (Names{"good+", "bad"}));
}

TEST_F(TrialsTest, OtherTermsAndOtherCallsAreKeptOut) {
    call({"good"});
    TrialSettings other = settings();
    other.terms.seed = 2;
    const auto refused = Trials::open(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, EINVAL);
    const auto first = Trials::open(settings());
    ASSERT_TRUE(first);
    EXPECT_EQ(Trials::open(settings()).error().code, EBUSY);
}

}  // namespace
}  // namespace zcrxlab
