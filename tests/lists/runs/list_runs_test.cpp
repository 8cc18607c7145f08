// Runs of lists: a guest that panics, hangs or does not come up, played by a program that says so.
#include "lists/runs/list_runs.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/report/report.hpp"
#include "lists/language/list.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOops = R"(kernel BUG at io_uring/zcrx.c:1234!
Oops: invalid opcode: 0000 [#1] SMP
RIP: 0010:io_zcrx_recv_skb+0x1a5/0x720
Call Trace:
 tcp_read_sock+0xa2/0x210
Kernel panic - not syncing: Fatal exception
)";

// In place of "zcrxlab run": copies what its run of this number leaves.
constexpr const char* kProgram = R"(#!/bin/sh
here=$(dirname "$0")
echo "$*" >"$here/arguments"
while [ $# -gt 0 ]; do
    case $1 in
        --out) out=$2 ;;
        --actions) lists=$2 ;;
    esac
    shift
done
number=$(($(cat "$here/number" 2>/dev/null || echo 0) + 1))
echo "$number" >"$here/number"
# The lists are there before anything else is.
ls "$lists" >"$here/lists-$number"
mkdir -p "$out"
rm -f "$out"/console.log
cp "$here/run-$number"/* "$out" 2>/dev/null
exit 1
)";

TestResult result(size_t index, TestStatus status, std::string message = {}) {
    TestResult test;
    test.name = "actions.000" + std::to_string(index);
    test.status = status;
    test.message = std::move(message);
    return test;
}

TestResult not_started(size_t index) {
    TestResult test = result(index, TestStatus::kLost, "Not one word of this is read.");
    test.reached = Reached::kNothing;
    return test;
}

TestResult was_running(size_t index, const std::string& reason) {
    TestResult test = result(index, TestStatus::kLost, "It was running. " + reason);
    test.reached = Reached::kStart;
    return test;
}

class ListRunsTest : public ::testing::Test {
  protected:
    ListRunsTest() {
        const fs::path program = folder_.path() / "zcrxlab";
        std::ofstream(program) << kProgram;
        fs::permissions(program, fs::perms::owner_all);
        runs_.self = program;
        runs_.vm.out = folder_.path() / "out";
    }

    // What the program's next run is to leave.
    void next(Ending ending, const std::string& reason, std::vector<TestResult> tests,
              const std::string& console = {}) {
        const fs::path run = folder_.path() / ("run-" + std::to_string(++planned_));
        fs::create_directories(run);
        RunSummary summary;
        summary.ending = ending;
        summary.ending_message = reason;
        summary.tests = std::move(tests);
        std::ofstream(run / "results.json") << to_json(summary);
        std::ofstream(run / "console.log") << console;
    }
    static std::vector<ActionList> lists(size_t count) {
        std::vector<ActionList> all;
        for (size_t i = 1; i <= count; ++i)
            all.push_back(*actions_from_text("pause ms=" + std::to_string(i) + "\n"));
        return all;
    }
    std::string file(const std::string& name) const {
        std::ifstream stream(folder_.path() / name);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    TemporaryFolder folder_;
    ListRuns runs_;
    int planned_ = 0;
};

TEST_F(ListRunsTest, AKernelMayLackWhatItShouldHaveWhereThatIsAskedFor) {
    for (const bool lenient : {false, true}) {
        next(Ending::kFinished, "", {result(0, TestStatus::kPassed)});
        runs_.lenient = lenient;
        ASSERT_TRUE(run_lists(runs_, "vm1", lists(1)));
        EXPECT_EQ(file("arguments").find(" --lenient") != std::string::npos, lenient)
            << file("arguments");
    }
}

TEST_F(ListRunsTest, APanicHasTheFramesOfItsSplatAndTheRestGoesOnInAnotherVm) {
    const std::string reason = "The guest's kernel panicked.";
    next(Ending::kPanicked, reason,
         {result(0, TestStatus::kPassed), was_running(1, reason), not_started(2)}, kOops);
    next(Ending::kFinished, "", {result(0, TestStatus::kPassed)});
    const auto outcomes = run_lists(runs_, "vm1", lists(3));
    ASSERT_TRUE(outcomes) << outcomes.error().sentence;
    ASSERT_EQ(outcomes->size(), 3U);
    EXPECT_EQ((*outcomes)[0].status, TestStatus::kPassed);
    EXPECT_EQ((*outcomes)[1].fingerprint.find("kernel BUG at"), 0U) << (*outcomes)[1].fingerprint;
    EXPECT_EQ((*outcomes)[1].splat.find("kernel BUG at"), 0U) << (*outcomes)[1].splat;
    EXPECT_NE((*outcomes)[1].fingerprint.find("in io_zcrx_recv_skb < tcp_read_sock"),
              std::string::npos)
        << (*outcomes)[1].fingerprint;
    EXPECT_EQ((*outcomes)[2].status, TestStatus::kPassed);
    EXPECT_EQ(file("lists-1"), "0000.actions\n0001.actions\n0002.actions\n");
    EXPECT_EQ(file("lists-2"), "0000.actions\n");
    EXPECT_EQ(file("out/vm1-2/lists/0000.actions"), "pause ms=3\n");
}

TEST_F(ListRunsTest, HangsAreOfOneKindWhicheverListItWasAndTheRestGoesOn) {
    const auto silent = [](size_t index) {
        return "The guest has given no sign of life for 6" + std::to_string(index) +
               " s (in actions.000" + std::to_string(index) + ").";
    };
    next(Ending::kTimeout, silent(1),
         {result(0, TestStatus::kPassed), was_running(1, silent(1)), not_started(2),
          not_started(3)});
    next(Ending::kTimeout, silent(0), {was_running(0, silent(0)), not_started(1)});
    next(Ending::kFinished, "", {result(0, TestStatus::kPassed)});
    size_t told = 0;
    runs_.ended = [&](size_t index, const ListOutcome&) { EXPECT_EQ(index, told++); };
    const auto outcomes = run_lists(runs_, "vm1", lists(4));
    ASSERT_TRUE(outcomes) << outcomes.error().sentence;
    ASSERT_EQ(outcomes->size(), 4U);
    EXPECT_EQ((*outcomes)[1].fingerprint,
              "the guest was lost: The guest has given no sign of life for # s.");
    EXPECT_EQ((*outcomes)[2].fingerprint, (*outcomes)[1].fingerprint);
    EXPECT_EQ((*outcomes)[3].status, TestStatus::kPassed);
    EXPECT_EQ(told, 4U);
}

TEST_F(ListRunsTest, AVmThatDoesNotComeUpIsStartedAgain) {
    next(Ending::kLost, "The guest did not come up within 60 s.", {});
    next(Ending::kFinished, "", {result(0, TestStatus::kPassed)});
    const auto outcomes = run_lists(runs_, "vm1", lists(1));
    ASSERT_TRUE(outcomes) << outcomes.error().sentence;
    EXPECT_EQ(outcomes->at(0).status, TestStatus::kPassed);
}

// A limit of time that falls into a boot is nobody's failure.
TEST_F(ListRunsTest, AStopBeforeTheFirstListIsNoError) {
    runs_.stop = [] { return true; };
    const auto nothing = run_lists(runs_, "vm1", lists(2));
    ASSERT_TRUE(nothing) << nothing.error().sentence;
    EXPECT_EQ(nothing->size(), 0U);
    planned_ = 1;
    next(Ending::kLost, "The guest did not come up within 60 s.", {});
    const auto lost = run_lists(runs_, "vm1", lists(2));
    ASSERT_TRUE(lost) << lost.error().sentence;
    EXPECT_EQ(lost->size(), 0U);
}

TEST_F(ListRunsTest, ThreeVmsThatDoNotComeUpAreAnError) {
    for (int i = 0; i < 3; ++i) next(Ending::kLost, "The guest did not come up within 60 s.", {});
    const auto outcomes = run_lists(runs_, "vm1", lists(1));
    ASSERT_FALSE(outcomes);
    EXPECT_NE(outcomes.error().sentence.find("did not come up"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
