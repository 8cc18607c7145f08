// A machine that stands still is no failure of the guest's kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <string>
#include <thread>

#include "tests/chaos/sandbox.hpp"

namespace zcrxlab {
namespace {

using std::chrono::seconds;

class Pauses : public Chaos {
  protected:
    // Stops whom `who` names for so long, twice, from the first result on; all passes nevertheless.
    void stopped(const std::function<int(const Started&)>& who, seconds length,
                 const std::string& told) {
        Started run = start({"zcrxlab", "run", "--filter", "receive.*:teardown.*", "--out", out()});
        EXPECT_TRUE(run.says("passed "));
        for (int round = 0; round < 2; ++round) {
            const int pid = who(run);
            if (pid <= 0) break;
            ::kill(pid, SIGSTOP);
            std::this_thread::sleep_for(length);
            ::kill(pid, SIGCONT);
            std::this_thread::sleep_for(seconds(2));
        }
        const Ended ended = run.end();
        saw(ended);
        EXPECT_EQ(ended.code, 0) << ended.output << ended.error;
        EXPECT_NE(ended.output.find(told), std::string::npos) << ended.output << ended.error;
        const auto found = results();
        ASSERT_TRUE(found);
        std::string stood_still;
        for (const auto& [name, value] : found->properties)
            if (name == "stood_still") stood_still = value;
        saw(stood_still);
        EXPECT_NE(stood_still.find(told), std::string::npos) << stood_still;
        // Unless it was between two scenarios.
        if (stood_still.find(" s in ") != std::string::npos) {
            EXPECT_NE(stood_still.find(" runs again."), std::string::npos) << stood_still;
        }
        for (const TestResult& test : found->tests)
            EXPECT_TRUE(test.status != TestStatus::kFailed && test.status != TestStatus::kLost)
                << test.name << ": " << test.message;
        EXPECT_EQ(left(), "");
    }
};

TEST_F(Pauses, AStoppedQemu) {
    is("zcrxlab run, QEMU stopped twice for 30 s", "0, told in the results, run again");
    stopped([](const Started& run) { return run.child_with("-accel"); }, seconds(30),
            "QEMU was stopped for ");
}

TEST_F(Pauses, AStoppedNic) {
    is("zcrxlab run, the emulated NIC stopped twice for 3 s", "0, told in the results, run again");
    stopped([](const Started& run) { return run.child_with("--control"); }, seconds(3),
            "the emulated NIC was stopped for ");
}

// Longer than QEMU waits for an answer: the guest dies of it.
TEST_F(Pauses, ANicThatIsStoppedForTooLong) {
    is("zcrxlab run, the emulated NIC stopped twice for 12 s", "0, told, another guest goes on");
    stopped([](const Started& run) { return run.child_with("--control"); }, seconds(12),
            "another one went on.");
}

TEST_F(Pauses, ItselfStopped) {
    is("zcrxlab run, stopped itself twice for 12 s", "0, told in the results, run again");
    stopped([](const Started& run) { return run.pid(); }, seconds(12),
            "this machine, or zcrxlab alone, stood still for ");
}

TEST_F(Chaos, AQemuThatStaysStopped) {
    is("zcrxlab exec --timeout 15 -- sleep 600, QEMU stopped for good", "124 after its time");
    Started run = start({"zcrxlab", "exec", "--nic", "nodev", "--timeout", "15", "--out", out(),
                         "--", "sh", "-c", "echo ready; sleep 600"});
    EXPECT_TRUE(run.says("ready"));
    const int qemu = run.child_with("-accel");
    ASSERT_GT(qemu, 0);
    ::kill(qemu, SIGSTOP);
    const Ended ended = run.end(seconds(60));
    saw(ended);
    EXPECT_EQ(ended.code, 124) << ended.error;
    EXPECT_EQ(left(), "");
}

}  // namespace
}  // namespace zcrxlab
