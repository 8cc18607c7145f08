// The loop around a VM, with shell scripts in place of QEMU and the NIC.
#include "vm/watch/machine.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Json = nlohmann::json;

// What ends by itself would take a minute. What is ended takes a moment, longer on a busy machine.
constexpr std::chrono::seconds kLongBeforeAMinute{30};

class MachineTest : public testing::Test {
  protected:
    // The bytes of a record as a file for the scripts.
    void record_file(const std::string& name, RecordType type, const Json& json) {
        const auto bytes = encode_record(type, json.dump());
        folder_.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    void SetUp() override {
        record_file("hello", RecordType::kHello, {{"kernel", "7.3.4"}});
        record_file("plan", RecordType::kPlan, {{"tests", {"a.b"}}, {"seed", 1}});
        record_file("start", RecordType::kTestStarted, {{"name", "a.b"}});
        record_file("end", RecordType::kTestEnded, {{"name", "a.b"}, {"status", "passed"}});
        record_file("done", RecordType::kDone, {{"exit", 0}});
    }
    // Runs `script` as QEMU; how long it took.
    milliseconds run(const std::string& script, WatchBounds bounds = {}) {
        Machine machine;
        machine.qemu = {"/bin/sh", "-c", "cd " + folder_.path().string() + "; " + script};
        const auto start = steady_clock::now();
        watch_.emplace(bounds, start);
        MachineCallbacks callbacks;
        callbacks.console = [this](std::string_view bytes) { console_ += bytes; };
        callbacks.qemu_error = [this](std::string_view bytes) { error_ += bytes; };
        callbacks.record = [this](const Record&) { ++records_; };
        const auto ran = run_machine(machine, *watch_, callbacks);
        EXPECT_TRUE(ran) << ran.error().sentence;
        return std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
    }
    int code() const { return exit_code(watch_->summary(steady_clock::now())); }

    TemporaryFolder folder_;
    std::optional<Watch> watch_;
    std::string console_, error_;
    int records_ = 0;
};

TEST_F(MachineTest, AWholeRun) {
    run("cat hello plan start end done >&3; echo booting; echo complaint >&2");
    EXPECT_EQ(watch_->state(), VmState::kDone);
    EXPECT_EQ(records_, 5);
    EXPECT_EQ(console_, "booting\n");
    EXPECT_EQ(error_, "complaint\n");
    EXPECT_EQ(code(), 0);
}

TEST_F(MachineTest, FileServersAreThereBeforeQemuAndGoneAfterIt) {
    const std::string folder = folder_.path().string();
    Machine machine;
    machine.qemu = {"/bin/sh", "-c", "cd " + folder + "; cat served; cat hello done >&3"};
    machine.file_servers = {
        {{"/bin/sh", "-c",
          "cd " + folder + "; echo $$ > pid; echo here > served; echo said; : > sock; sleep 60"},
         folder_.path() / "sock"}};
    machine.file_server_log = folder_.path() / "log";
    Watch watch({}, steady_clock::now());
    MachineCallbacks callbacks;
    callbacks.console = [this](std::string_view bytes) { console_ += bytes; };
    ASSERT_TRUE(run_machine(machine, watch, callbacks));
    EXPECT_EQ(watch.state(), VmState::kDone);
    EXPECT_EQ(console_, "here\n");
    pid_t pid = 0;
    std::ifstream(folder_.path() / "pid") >> pid;
    ASSERT_GT(pid, 1);
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST_F(MachineTest, AFileServerThatEndsIsNamedWithItsLog) {
    Machine machine;
    machine.qemu = {"/bin/sleep", "60"};
    machine.file_servers = {{{"/bin/false"}, folder_.path() / "sock"}};
    machine.file_server_log = folder_.path() / "the-log";
    Watch watch({}, steady_clock::now());
    const auto ran = run_machine(machine, watch, {});
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().sentence.find("the-log"), std::string::npos);
}

TEST_F(MachineTest, ASignalThatIsPassedOnEndsNothing) {
    Machine machine;
    machine.qemu = {"/bin/sh", "-c",
                    "cd " + folder_.path().string() + "; cat hello >&3; sleep 1; cat done >&3"};
    Watch watch({}, steady_clock::now());
    int passed = 0;
    MachineCallbacks callbacks;
    callbacks.record = [](const Record& record) {
        if (record.type == RecordType::kHello) ::kill(::getpid(), SIGINT);
    };
    callbacks.signal = [&](int number) {
        passed = number;
        return true;
    };
    ASSERT_TRUE(run_machine(machine, watch, callbacks));
    EXPECT_EQ(passed, SIGINT);
    EXPECT_EQ(watch.state(), VmState::kDone);
}

TEST_F(MachineTest, RecordsInPiecesAreRecords) {
    run("for f in hello plan start end done; do dd if=$f bs=1 2>/dev/null >&3; done");
    EXPECT_EQ(watch_->state(), VmState::kDone);
    EXPECT_EQ(records_, 5);
}

TEST_F(MachineTest, AGuestThatDoesNotPowerOffIsStopped) {
    const milliseconds took = run("cat hello plan start end done >&3; exec sleep 60");
    EXPECT_EQ(watch_->state(), VmState::kDone);
    EXPECT_LT(took, milliseconds(5'000));
    EXPECT_EQ(code(), 0);
}

TEST_F(MachineTest, QemusEndIsLost) {
    run("cat hello plan start >&3; exit 1");
    EXPECT_EQ(watch_->state(), VmState::kLost);
    EXPECT_NE(watch_->reason().find("exited with code 1"), std::string::npos);
    EXPECT_EQ(code(), 255);
}

TEST_F(MachineTest, AKilledQemuIsLostAtOnce) {
    const milliseconds took = run("cat hello plan start >&3; kill -9 $$");
    EXPECT_EQ(watch_->state(), VmState::kLost);
    EXPECT_LT(took, kLongBeforeAMinute);
}

TEST_F(MachineTest, APanicEndsTheGuest) {
    const milliseconds took =
        run("cat hello plan start >&3; echo 'Kernel panic - not syncing: x'; exec sleep 60");
    EXPECT_EQ(watch_->state(), VmState::kPanicked);
    EXPECT_LT(took, kLongBeforeAMinute);
    EXPECT_EQ(code(), 255);
}

// What came in one turn came in this order: records, then the panic, behind which there are none.
TEST_F(MachineTest, AHelloAndAPanicInOneTurnAreBoth) {
    Machine machine;
    machine.qemu = {"/bin/sh", "-c",
                    "cd " + folder_.path().string() +
                        "; echo 'Kernel panic - not syncing: x'; cat hello plan start end >&3; : > "
                        "said; exec sleep 60"};
    machine.qemu_that_boots = {"/bin/sh", "-c", "exit 1"};
    Watch watch({}, steady_clock::now());
    int ways_in = 0;
    MachineCallbacks callbacks;
    callbacks.started = [this](pid_t, pid_t) {
        while (!std::filesystem::exists(folder_.path() / "said"))
            std::this_thread::sleep_for(milliseconds(1));
    };
    callbacks.way_in = [&ways_in](Fd) { ++ways_in; };
    ASSERT_TRUE(run_machine(machine, watch, callbacks));
    EXPECT_EQ(watch.state(), VmState::kPanicked);
    EXPECT_TRUE(watch.until_ready());
    EXPECT_EQ(watch.kernel(), "7.3.4");
    ASSERT_EQ(watch.tests().size(), 1U);
    EXPECT_EQ(watch.tests()[0].status, TestStatus::kPassed);
    EXPECT_EQ(ways_in, 1);
}

TEST_F(MachineTest, AHangEndsAtItsBound) {
    WatchBounds bounds;
    bounds.silence = milliseconds(300);
    const milliseconds took = run("cat hello plan start >&3; exec sleep 60", bounds);
    EXPECT_EQ(watch_->state(), VmState::kTimedOut);
    EXPECT_LT(took, kLongBeforeAMinute);
    EXPECT_EQ(code(), 124);
}

TEST_F(MachineTest, ABrokenStreamIsLost) {
    const milliseconds took = run("cat hello >&3; echo nonsense nonsense >&3; exec sleep 60");
    EXPECT_EQ(watch_->state(), VmState::kLost);
    EXPECT_LT(took, kLongBeforeAMinute);
}

TEST_F(MachineTest, AFloodOfErrorsDoesNotStopIt) {
    WatchBounds bounds;
    bounds.total = milliseconds(1'000);
    const milliseconds took = run("cat hello >&3; exec yes flood >&2", bounds);
    EXPECT_EQ(watch_->state(), VmState::kTimedOut);
    EXPECT_LT(took, kLongBeforeAMinute);
}

TEST_F(MachineTest, CtrlCEndsIt) {
    // Only the loop's thread may be told, as in the program, which has no other.
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread person([] {
        std::this_thread::sleep_for(milliseconds(200));
        ::kill(::getpid(), SIGINT);
    });
    const milliseconds took = run("cat hello plan start >&3; exec sleep 60");
    person.join();
    EXPECT_EQ(watch_->state(), VmState::kInterrupted);
    EXPECT_LT(took, kLongBeforeAMinute);
    EXPECT_EQ(code(), 130);
}

TEST_F(MachineTest, ANicThatDiesAtItsStartIsAnErrorWithItsWords) {
    Machine machine;
    machine.qemu = {"/bin/sh", "-c", "exit 0"};
    machine.nic = {"/bin/sh", "-c", "echo no sockets today >&2; exit 3"};
    machine.control = folder_.path() / "control.sock";
    machine.nic_log = folder_.path() / "device.log";
    Watch watch({}, steady_clock::now());
    const auto ran = run_machine(machine, watch, {});
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().sentence.find("no sockets today"), std::string::npos);
    EXPECT_NE(ran.error().sentence.find("code 3"), std::string::npos);
}

TEST_F(MachineTest, AQemuThatIsNotThereIsAnError) {
    Machine machine;
    machine.qemu = {"/no/such/qemu"};
    Watch watch({}, steady_clock::now());
    EXPECT_FALSE(run_machine(machine, watch, {}));
}

// A machine that goes on from a saved guest, and may have to boot.
class SavedMachineTest : public MachineTest {
  protected:
    // Runs `goes_on`, and `boots` if that fails.
    void run_saved(const std::string& goes_on, const std::string& boots, WatchBounds bounds = {}) {
        const std::string there = "cd " + folder_.path().string() + "; ";
        Machine machine;
        machine.qemu = {"/bin/sh", "-c", there + goes_on};
        machine.qemu_that_boots = {"/bin/sh", "-c", there + boots};
        machine.forget_saved = [this] { ++forgotten_; };
        watch_.emplace(bounds, steady_clock::now());
        MachineCallbacks callbacks;
        callbacks.note = [this](const std::string& sentence) { note_ += sentence; };
        callbacks.record = [this](const Record&) { ++records_; };
        const auto ran = run_machine(machine, *watch_, callbacks);
        EXPECT_TRUE(ran) << ran.error().sentence;
    }

    int forgotten_ = 0;
    std::string note_;
};

TEST_F(SavedMachineTest, OneThatGoesOnIsNotBooted) {
    run_saved("cat hello plan start end done >&3", "touch booted");
    EXPECT_EQ(watch_->state(), VmState::kDone);
    EXPECT_EQ(forgotten_, 0);
    EXPECT_EQ(folder_.read("booted"), "");
}

TEST_F(SavedMachineTest, OneThatDoesNotComeUpIsForgottenAndBooted) {
    WatchBounds bounds;
    bounds.after_panic = milliseconds(10);
    for (const std::string script : {"echo 'load of migration failed' >&2; exit 1", "sleep 60",
                                     "echo 'Kernel panic - not syncing: why'; sleep 60"}) {
        forgotten_ = records_ = 0;
        note_.clear();
        // The one that is booted in its place has no longer, on a machine that may be busy.
        if (script == "sleep 60") bounds.boot = milliseconds(4'000);
        run_saved(script, "cat hello plan start end done >&3", bounds);
        EXPECT_EQ(watch_->state(), VmState::kDone) << script;
        EXPECT_EQ(code(), 0);
        EXPECT_EQ(forgotten_, 1) << script;
        EXPECT_EQ(records_, 5);
        EXPECT_NE(note_.find("thrown away"), std::string::npos);
    }
}

TEST_F(SavedMachineTest, OneThatSaidHelloIsJudgedAsAnyOther) {
    run_saved("cat hello plan start >&3; exit 1", "touch booted");
    EXPECT_EQ(watch_->state(), VmState::kLost);
    EXPECT_EQ(forgotten_, 0);
    EXPECT_EQ(folder_.read("booted"), "");
}

TEST_F(SavedMachineTest, OneThatDoesNotBootEitherIsLost) {
    run_saved("exit 1", "exit 2");
    EXPECT_EQ(watch_->state(), VmState::kLost);
    EXPECT_EQ(forgotten_, 1);
    EXPECT_NE(watch_->reason().find("code 2"), std::string::npos);
}

// Several VMs, each a shell script, run side by side.
class MachinesTest : public MachineTest {
  protected:
    void add(const std::string& script) {
        machines_.emplace_back().qemu = {"/bin/sh", "-c",
                                         "cd " + folder_.path().string() + "; " + script};
        watches_.emplace_back(WatchBounds{}, steady_clock::now());
    }
    milliseconds run_them() {
        std::vector<MachineRun> runs;
        for (size_t i = 0; i < machines_.size(); ++i)
            runs.push_back({&machines_[i], &watches_[i], &callbacks_});
        const auto start = steady_clock::now();
        const auto ran = run_machines(runs);
        EXPECT_TRUE(ran) << ran.error().sentence;
        return std::chrono::duration_cast<milliseconds>(steady_clock::now() - start);
    }
    // As a person does from another thread, once the program of the guest has said so. It may say
    // so before we are told who `qemu` is, and a signal for -1 or 0 would stop others.
    void stop_for_a_while(const std::atomic<pid_t>& qemu) const {
        const auto end = steady_clock::now() + std::chrono::minutes(1);
        while (qemu <= 0 || !std::filesystem::exists(folder_.path() / "started")) {
            if (steady_clock::now() > end) return;
            std::this_thread::sleep_for(milliseconds(5));
        }
        const pid_t pid = qemu;
        ::kill(pid, SIGSTOP);
        std::this_thread::sleep_for(milliseconds(4'000));
        ::kill(pid, SIGCONT);
    }

    std::deque<Machine> machines_;
    std::deque<Watch> watches_;
    MachineCallbacks callbacks_;
};

TEST_F(MachinesTest, AQuestionIsAnsweredWithALine) {
    record_file("turn", RecordType::kTurn, Json::object());
    int asked = 0;
    callbacks_.turn = [&asked] { return ++asked == 1 ? "a.b" : ""; };
    add("cat hello turn >&3; read name <&3; echo \"$name\" > told;"
        "cat turn >&3; read name <&3; echo \"$name.\" >> told; cat done >&3");
    run_them();
    EXPECT_EQ(watches_[0].state(), VmState::kDone);
    EXPECT_EQ(folder_.read("told"), "a.b\n.\n");
    EXPECT_EQ(asked, 2);
}

// The guest's QEMU is stopped for longer than the guest may be silent, in the middle of a scenario.
TEST_F(MachinesTest, AStoppedQemuIsNoSilenceAndItsScenarioRunsAgain) {
    record_file("dealt", RecordType::kPlan, {{"tests", {"a.b"}}, {"seed", 1}, {"dealt", true}});
    record_file("failed", RecordType::kTestEnded, {{"name", "a.b"}, {"status", "failed"}});
    record_file("turn", RecordType::kTurn, Json::object());
    std::atomic<pid_t> qemu = 0;
    std::vector<std::string> again;
    callbacks_.started = [&qemu](pid_t pid, pid_t) { qemu = pid; };
    std::vector<std::string> verdicts;
    callbacks_.record = [&verdicts](const Record& record) {
        if (record.type == RecordType::kTestEnded) verdicts.push_back(record.json);
    };
    callbacks_.again = [&again](const std::string& name) { again.push_back(name); };
    callbacks_.turn = [&again] { return again.empty() ? std::string() : again.back(); };
    add("cat hello dealt start >&3; : > started; sleep 1; cat turn >&3; read name <&3; echo $name "
        "> "
        "told; cat failed >&3; cat start end done >&3");
    std::thread person([&] { stop_for_a_while(qemu); });
    run_them();
    person.join();
    EXPECT_EQ(watches_[0].state(), VmState::kDone) << watches_[0].reason();
    EXPECT_EQ(again, std::vector<std::string>{"a.b"});
    EXPECT_EQ(folder_.read("told"), "a.b\n");
    ASSERT_EQ(verdicts.size(), 1U) << "what does not count is nobody's";
    EXPECT_NE(verdicts[0].find("passed"), std::string::npos);
    ASSERT_EQ(watches_[0].tests().size(), 1U);
    EXPECT_EQ(watches_[0].tests()[0].status, TestStatus::kPassed);
}

TEST_F(MachinesTest, AQemuThatDiesOfItIsReplacedAndTheRestRuns) {
    record_file("dealt", RecordType::kPlan, {{"tests", {"a.b", "a.c"}}, {"dealt", true}});
    record_file("turn", RecordType::kTurn, Json::object());
    std::atomic<pid_t> qemu = 0;
    std::vector<std::string> again;
    callbacks_.started = [&qemu](pid_t pid, pid_t) { qemu = pid; };
    callbacks_.again = [&again](const std::string& name) { again.push_back(name); };
    callbacks_.turn = [] { return "a.c"; };
    add("if [ -e started ]; then cat hello dealt start end done >&3; exit; fi;"
        "cat hello dealt start turn >&3; read name <&3; : > started; sleep 1; kill -SEGV $$");
    std::thread person([&] { stop_for_a_while(qemu); });
    run_them();
    person.join();
    EXPECT_EQ(watches_[0].state(), VmState::kDone) << watches_[0].reason();
    EXPECT_EQ(again, (std::vector<std::string>{"a.b", "a.c"})) << "it ran, and it was next";
    ASSERT_EQ(watches_[0].tests().size(), 1U);
    EXPECT_EQ(watches_[0].tests()[0].status, TestStatus::kPassed);
}

TEST_F(MachinesTest, TheEndOfOneEndsNoOther) {
    add("exit 1");
    add("cat hello plan start; sleep 0.5; cat end done >&3");
    add("cat hello plan start end >&3; sleep 0.3; cat done >&3");
    run_them();
    EXPECT_EQ(watches_[0].state(), VmState::kLost);
    EXPECT_EQ(watches_[1].state(), VmState::kDone);
    EXPECT_EQ(watches_[2].state(), VmState::kDone);
}

TEST_F(MachinesTest, TheyRunSideBySide) {
    for (const std::string name : {"a", "b", "c"})
        add("cat hello plan start >&3; touch " + name +
            "; for i in $(seq 600); do [ -e a ] && [ -e b ] && [ -e c ] && "
            "exec cat end done >&3; sleep 0.05; done; exit 1");
    run_them();
    for (const Watch& watch : watches_) EXPECT_EQ(watch.state(), VmState::kDone);
}

TEST_F(MachinesTest, ASignalEndsAll) {
    sigset_t set{};
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    for (int i = 0; i < 3; ++i) add("cat hello plan start >&3; exec sleep 60");
    std::thread person([] {
        std::this_thread::sleep_for(milliseconds(300));
        ::kill(::getpid(), SIGINT);
    });
    const milliseconds took = run_them();
    person.join();
    EXPECT_LT(took, kLongBeforeAMinute);
    for (const Watch& watch : watches_) EXPECT_EQ(watch.state(), VmState::kInterrupted);
}

TEST_F(MachinesTest, OneThatCannotStartLeavesNoneBehind) {
    add("touch begun; sleep 60; touch survived");
    add("");
    machines_[1].qemu = {"/no/such/qemu"};
    std::vector<MachineRun> runs{{&machines_[0], &watches_[0], &callbacks_},
                                 {&machines_[1], &watches_[1], &callbacks_}};
    const auto start = steady_clock::now();
    EXPECT_FALSE(run_machines(runs));
    EXPECT_LT(steady_clock::now() - start, kLongBeforeAMinute);
}

}  // namespace
}  // namespace zcrxlab
