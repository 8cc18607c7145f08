// Watch: what one run of a VM has come to, as a function of what was seen of it and when.
//
// It does no input or output and asks no clock: whoever runs the VM tells it what happened.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/report/report.hpp"
#include "harness/trace/record.hpp"
#include "vm/watch/console.hpp"
#include "vm/watch/host_pause.hpp"
#include "vm/watch/scenario_queue.hpp"

namespace zcrxlab {

enum class VmState {
    kBooting,      // started; the guest has said nothing yet
    kReady,        // the guest's init runs
    kDone,         // the guest said that it was done
    kPanicked,     // its kernel panicked
    kLost,         // QEMU or the device's process ended, or the records make no sense
    kTimedOut,     // it took too long, or went silent
    kInterrupted,  // Ctrl-C
};

// "booting", "ready" ...
std::string_view name_of(VmState state);

struct WatchBounds {
    std::chrono::milliseconds boot{120'000};     // to the first record
    std::chrono::milliseconds silence{180'000};  // between two signs of life, from then on
    std::chrono::milliseconds total{900'000};    // --timeout
    // After a panic, for the rest of its trace to arrive; after an oops, for the panic.
    std::chrono::milliseconds after_panic{1'000};
};

// The property of a run's report that tells of each time in which this machine stood still.
inline constexpr const char* kStoodStill = "stood_still";

class Watch {
  public:
    using Time = std::chrono::steady_clock::time_point;

    Watch(const WatchBounds& bounds, Time start);

    // What happened. Once the state is one of the last five, only what can still explain it counts.
    void record(const Record& record, Time now);
    void records_broken(const Error& error, Time now);
    void console_line(std::string_view line, Time now);
    void qemu_ended(const std::string& how, Time now);
    void device_ended(const std::string& how, Time now);
    void interrupted(Time now);
    // This machine stood still: no bound counts that time, and a scenario that ran meanwhile is not
    // judged. Where scenarios are dealt out, it is to run again.
    void stood_still(const HostPause& pause);
    // The machine that was over before it said anything is started anew.
    void start_again(Time now) { *this = Watch(bounds_, now); }
    // The guest has died right behind a pause, or of it: QEMU does not survive each one. Then it is
    // no loss, and another one can go on with what is left; a few times.
    bool died_of_pause(Time now) const;
    // It is booted now. What ran when the old one died is to run again.
    void go_on_with_another(Time now);
    // What is bounded by `total` begins only now, and not with the boot.
    void allow(std::chrono::milliseconds total, Time now);
    // Nothing happened, but time has passed.
    void tick(Time now);

    // When tick() is due at the latest.
    Time deadline() const;
    // There is nothing more to wait for; QEMU can be stopped.
    bool over(Time now) const;

    VmState state() const { return state_; }
    // A sentence; empty while all is well.
    const std::string& reason() const { return reason_; }
    // The program's exit code, once the guest is done.
    std::optional<int> program_exit() const { return program_exit_; }
    // uname -r, once it said hello.
    const std::string& kernel() const { return kernel_; }
    // Every test that was announced, started or ended; those without an end are lost.
    const std::vector<TestResult>& tests() const { return tests_; }
    // What the guest could run, if it asks what to run; tests() then has those that it got only.
    const std::optional<ScenarioOffer>& plan() const { return plan_; }
    // The test that ended last; null if none has.
    const TestResult* last_ended() const {
        return last_ended_ < tests_.size() ? &tests_[last_ended_] : nullptr;
    }
    // A scenario that is to run again, each once.
    std::optional<std::string> take_again();
    // Whether the last record was the verdict of such a scenario, which is none.
    bool withdrawn() const { return withdrawn_; }
    // From the start to the first record, and to the first test or the end of the program.
    std::optional<std::chrono::milliseconds> until_ready() const { return until_ready_; }
    std::optional<std::chrono::milliseconds> until_first_test() const { return until_first_test_; }

    // The run for the report, in the state in which it is.
    RunSummary summary(Time now) const;

  private:
    void enter(VmState state, std::string reason, Time now);
    bool ended() const { return state_ != VmState::kBooting && state_ != VmState::kReady; }
    void take(RecordType type, std::string_view json, Time now);
    TestResult& open_test(const std::string& name);
    void test_started(const std::string& name, Time now);
    void test_ended(TestResult result);
    bool ask_again(size_t test);
    // As if it had never been asked for.
    void withdraw(size_t test);
    std::string running_test() const;
    // A test that may take longer may be silent for longer.
    std::chrono::milliseconds silence() const {
        return std::min(bounds_.silence * slowness_, bounds_.total);
    }
    std::chrono::milliseconds since_start(Time now) const;

    WatchBounds bounds_;
    int64_t slowness_ = 1;  // as the last plan has it
    Time start_;
    Time total_from_;
    Time last_sign_;
    Time state_since_;
    Time boot_from_;
    unsigned others_ = 0;              // guests that took the place of one that died
    std::optional<Time> last_pause_;   // its end
    std::vector<std::string> pauses_;  // sentences for the report
    std::string disturbed_;            // by what the running test was
    bool shaken_ = false;              // it began right behind a pause
    bool asked_again_ = false;         // for the running test
    bool withdrawn_ = false;
    std::vector<std::string> again_;  // not taken yet
    std::map<std::string, unsigned> repeats_;
    VmState state_ = VmState::kBooting;
    std::string reason_;
    std::optional<Time> oops_;
    PanicCause cause_;
    bool qemu_gone_ = false;
    std::optional<int> program_exit_;
    std::string kernel_;
    uint64_t seed_ = 0;
    std::vector<std::pair<std::string, bool>> features_;
    std::optional<ScenarioOffer> plan_;
    std::vector<TestResult> tests_;
    std::vector<bool> test_ended_;
    size_t running_ = SIZE_MAX;  // index of the test that was started and has not ended
    size_t last_ended_ = SIZE_MAX;
    std::optional<std::chrono::milliseconds> until_ready_, until_first_test_;
};

}  // namespace zcrxlab
