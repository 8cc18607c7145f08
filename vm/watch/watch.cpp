// Decides what a run has come to.
#include "vm/watch/watch.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/base/exit_code.hpp"
#include "harness/base/json.hpp"
#include "vm/watch/console.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;

constexpr double kSlowestBelieved = 20;
// So soon behind a pause the guest's kernel may still find out that it has stalled.
constexpr milliseconds kAftermath{3'000};
// Of a scenario. Who stops this machine again and again learns nothing of it.
constexpr unsigned kMostRepeats = 3;
// QEMU gives up its device 5 s after a question at the latest.
constexpr milliseconds kDeathThroes{10'000};
constexpr unsigned kMostOthers = 3;

std::string seconds_text(milliseconds time) {
    return std::to_string((time.count() + 500) / 1000) + " s";
}

// An entry that is no number is a 0: the list goes with another one.
std::vector<double> numbers_of(const Json& json, const char* name) {
    std::vector<double> numbers;
    for (const Json& entry : get_array(json, name))
        numbers.push_back(get<double>(entry).value_or(0));
    return numbers;
}

// Whether a kTurn says that the test before it is not well.
bool says_harmed(std::string_view turn) {
    const Result<Json> parsed = parse_json_object(turn);
    return parsed && get_or(*parsed, "harmed", false);
}

}  // namespace

std::string_view name_of(VmState state) {
    switch (state) {
        case VmState::kBooting:
            return "booting";
        case VmState::kReady:
            return "ready";
        case VmState::kDone:
            return "done";
        case VmState::kPanicked:
            return "panicked";
        case VmState::kLost:
            return "lost";
        case VmState::kTimedOut:
            return "timed out";
        case VmState::kInterrupted:
            return "interrupted";
    }
    return "?";
}

Watch::Watch(const WatchBounds& bounds, Time start)
    : bounds_(bounds),
      start_(start),
      total_from_(start),
      last_sign_(start),
      state_since_(start),
      boot_from_(start) {}

void Watch::record(const Record& record, Time now) {
    withdrawn_ = false;
    if (ended()) return;
    last_sign_ = now;
    if (state_ == VmState::kBooting) {
        until_ready_ = std::chrono::duration_cast<milliseconds>(now - boot_from_);
        enter(VmState::kReady, "", now);
    }
    take(record.type, record.json, now);
}

void Watch::records_broken(const Error& error, Time now) {
    enter(VmState::kLost, "What the guest sent makes no sense: " + error.sentence + ".", now);
}

void Watch::console_line(std::string_view line, Time now) {
    last_sign_ = now;
    const ConsoleSign sign = sign_of(line);
    if (sign != ConsoleSign::kPanic) cause_.line(line);
    if (sign == ConsoleSign::kPanic) {
        std::string why = "The guest's kernel panicked: " + std::string(line);
        if (const std::string cause = cause_.text(); !cause.empty())
            why += ". What it is: " + cause;
        // A kernel that panics while it powers off has still panicked.
        if (!ended() || state_ == VmState::kDone) enter(VmState::kPanicked, std::move(why), now);
    } else if (sign == ConsoleSign::kOops && !oops_) {
        oops_ = now;
        if (!ended()) reason_ = "The guest's kernel hit a bug: " + cause_.text();
    }
}

void Watch::qemu_ended(const std::string& how, Time now) {
    qemu_gone_ = true;
    if (ended()) return;
    if (oops_) return enter(VmState::kPanicked, reason_, now);
    enter(VmState::kLost, "QEMU " + how + " before the guest was done.", now);
}

void Watch::device_ended(const std::string& how, Time now) {
    if (ended()) return;
    enter(VmState::kLost, "The emulated NIC's process " + how + " before the guest was done.", now);
}

void Watch::interrupted(Time now) {
    if (!ended()) enter(VmState::kInterrupted, "Interrupted.", now);
}

void Watch::stood_still(const HostPause& pause) {
    const auto shift = std::chrono::duration_cast<milliseconds>(pause.to - pause.from);
    boot_from_ += shift;
    total_from_ += shift;
    last_sign_ = std::max(last_sign_, pause.to);
    if (oops_) *oops_ += shift;
    last_pause_ = pause.to;
    const std::string during = running_test();
    std::string sentence = text_of(pause);
    if (!during.empty()) {
        disturbed_ = sentence;
        sentence += " in " + during;
    }
    pauses_.push_back(sentence + ".");
}

bool Watch::died_of_pause(Time now) const {
    return state_ == VmState::kLost && plan_ && last_pause_ && now < *last_pause_ + kDeathThroes &&
           others_ < kMostOthers;
}

void Watch::withdraw(size_t test) {
    tests_.erase(tests_.begin() + static_cast<std::ptrdiff_t>(test));
    test_ended_.erase(test_ended_.begin() + static_cast<std::ptrdiff_t>(test));
}

void Watch::go_on_with_another(Time now) {
    ++others_;
    pauses_.push_back("The guest did not survive that (" + reason_ + "), and another one went on.");
    for (size_t i = tests_.size(); i-- > 0;) {
        if (test_ended_[i]) continue;
        // Otherwise it stays lost.
        test_ended_[i] = !asked_again_ && !ask_again(i);
        if (test_ended_[i]) continue;
        withdraw(i);
    }
    running_ = last_ended_ = SIZE_MAX;
    disturbed_.clear();
    shaken_ = asked_again_ = qemu_gone_ = false;
    oops_.reset();
    until_ready_.reset();
    features_.clear();
    last_sign_ = boot_from_ = now;
    enter(VmState::kBooting, "", now);
}

void Watch::allow(std::chrono::milliseconds total, Time now) {
    bounds_.total = bounds_.silence = total;
    total_from_ = last_sign_ = now;
}

void Watch::tick(Time now) {
    if (ended()) return;
    const std::string during = running_test().empty() ? "" : " (in " + running_test() + ")";
    if (oops_ && now >= *oops_ + bounds_.after_panic) {
        enter(VmState::kPanicked, reason_, now);
    } else if (now >= total_from_ + bounds_.total) {
        enter(VmState::kTimedOut,
              "The run took longer than " + seconds_text(bounds_.total) + during +
                  "; --timeout allows more.",
              now);
    } else if (state_ == VmState::kBooting && now >= boot_from_ + bounds_.boot) {
        enter(VmState::kTimedOut,
              "The guest did not come up within " + seconds_text(bounds_.boot) + ".", now);
    } else if (state_ == VmState::kReady && now >= last_sign_ + silence()) {
        enter(VmState::kTimedOut,
              "The guest has given no sign of life for " + seconds_text(silence()) + during + ".",
              now);
    }
}

Watch::Time Watch::deadline() const {
    if (state_ == VmState::kPanicked) return state_since_ + bounds_.after_panic;
    if (ended()) return state_since_;
    const Time quiet =
        state_ == VmState::kBooting ? boot_from_ + bounds_.boot : last_sign_ + silence();
    Time first = std::min(total_from_ + bounds_.total, quiet);
    if (oops_) first = std::min(first, *oops_ + bounds_.after_panic);
    return first;
}

bool Watch::over(Time now) const {
    if (!ended()) return false;
    return state_ != VmState::kPanicked || qemu_gone_ || now >= deadline();
}

RunSummary Watch::summary(Time now) const {
    RunSummary run;
    run.kernel = kernel_;
    run.seed = seed_;
    run.seconds = std::chrono::duration<double>(now - start_).count();
    run.tests = tests_;
    run.features = features_;
    run.ending_message = reason_;
    std::string pauses;
    for (const std::string& sentence : pauses_) pauses += (pauses.empty() ? "" : " ") + sentence;
    if (!pauses.empty()) run.properties.emplace_back(kStoodStill, pauses);
    switch (state_) {
        case VmState::kDone:
            run.ending = Ending::kFinished;
            break;
        case VmState::kPanicked:
            run.ending = Ending::kPanicked;
            break;
        case VmState::kTimedOut:
            run.ending = Ending::kTimeout;
            break;
        case VmState::kInterrupted:
            run.ending = Ending::kInterrupted;
            break;
        default:
            run.ending = Ending::kLost;
            break;
    }
    for (size_t i = 0; i < run.tests.size(); ++i) {
        if (test_ended_[i]) continue;
        const bool started = run.tests[i].reached == Reached::kStart;
        run.tests[i].message = started ? "It was running when the guest was lost. " + reason_
                                       : "It had not started when the guest was lost.";
        if (run.ending == Ending::kFinished)
            run.tests[i].message = "The guest was done without telling how this ended.";
    }
    return run;
}

void Watch::enter(VmState state, std::string reason, Time now) {
    state_ = state;
    reason_ = std::move(reason);
    state_since_ = now;
}

void Watch::take(RecordType type, std::string_view text, Time now) {
    // Before the guest is told that nothing is left.
    if (type == RecordType::kTurn && (!disturbed_.empty() || (shaken_ && says_harmed(text))))
        ask_again(running_);
    // Traces are large, and none of our business.
    if (type == RecordType::kTrace || type == RecordType::kKernelLog ||
        type == RecordType::kNotice || type == RecordType::kBench || type == RecordType::kProfile ||
        type == RecordType::kTurn || type == RecordType::kOutput || type == RecordType::kProgram)
        return;
    const Result<Json> parsed = parse_json_object(text);
    if (!parsed)
        return enter(VmState::kLost, "What the guest sent makes no sense: a record is no JSON.",
                     now);
    const Json& json = *parsed;
    switch (type) {
        case RecordType::kHello:
            kernel_ = get_text(json, "kernel");
            break;
        case RecordType::kPlan:
            seed_ = get_or<uint64_t>(json, "seed", 0);
            for (const auto& [name, there] : get_object(json, "features").items())
                if (there.is_boolean()) features_.emplace_back(name, there.get<bool>());
            slowness_ = static_cast<int64_t>(
                std::clamp(get_or(json, "slowness", 1.0), 1.0, kSlowestBelieved));
            // Where they are dealt out, only those that come here are this guest's.
            if (get_or(json, "dealt", false)) {
                const std::vector<std::string> unfit = get_all<std::string>(json, "unfit");
                plan_ = {get_all<std::string>(json, "tests"),
                         {unfit.begin(), unfit.end()},
                         numbers_of(json, "bounds"),
                         numbers_of(json, "cpus")};
                break;
            }
            for (const std::string& name : get_all<std::string>(json, "tests")) {
                tests_.push_back({.name = name, .reached = Reached::kNothing});
                test_ended_.push_back(false);
            }
            break;
        case RecordType::kTestStarted:
            test_started(get_text(json, "name"), now);
            break;
        case RecordType::kTestEnded: {
            const auto status = status_from_name(get_text(json, "status"));
            if (!status)
                return enter(VmState::kLost,
                             "What the guest sent makes no sense: a test ended as \"" +
                                 get_text(json, "status") + "\".",
                             now);
            test_ended({.name = get_text(json, "name"),
                        .status = *status,
                        .seconds = get_or(json, "seconds", 0.0),
                        .message = get_text(json, "message"),
                        .reference = get_text(json, "reference"),
                        .trace = get_all<std::string>(json, "trace")});
            break;
        }
        case RecordType::kDone: {
            const std::string failure = get_text(json, "error");
            // What is no exit code is no success.
            const int code = get_or(json, "exit", kExitLost);
            program_exit_ = code >= 0 && code <= 255 ? code : kExitLost;
            if (!failure.empty())
                enter(VmState::kLost, "The guest could not be set up: " + failure, now);
            else
                enter(VmState::kDone, "", now);
            break;
        }
        default:
            enter(VmState::kLost,
                  "What the guest sent makes no sense: there is no record of type " +
                      std::to_string(static_cast<int>(type)) + ".",
                  now);
    }
}

void Watch::test_started(const std::string& name, Time now) {
    if (!until_first_test_) until_first_test_ = since_start(now);
    running_ = static_cast<size_t>(&open_test(name) - tests_.data());
    tests_[running_].reached = Reached::kStart;
    disturbed_.clear();
    asked_again_ = false;
    shaken_ = last_pause_ && now < *last_pause_ + kAftermath;
}

void Watch::test_ended(TestResult result) {
    TestResult& test = open_test(result.name);
    const size_t index = static_cast<size_t>(&test - tests_.data());
    const bool unharmed =
        result.status == TestStatus::kPassed || result.status == TestStatus::kSkipped;
    const bool unjudged = !disturbed_.empty() || (shaken_ && !unharmed);
    const std::string by = disturbed_;
    running_ = last_ended_ = SIZE_MAX;
    disturbed_.clear();
    if (unjudged && (asked_again_ || ask_again(index))) {
        withdraw(index);
        withdrawn_ = true;
        return;
    }
    if (!by.empty() && !unharmed) {
        result.status = TestStatus::kLost;
        result.message = "This machine stood still while it ran (" + by +
                         "), so that nothing was learnt. " + result.message;
    }
    test = std::move(result);
    test_ended_[index] = true;
    last_ended_ = index;
}

bool Watch::ask_again(size_t test) {
    if (test >= tests_.size() || !plan_ || asked_again_) return asked_again_;
    const std::string& name = tests_[test].name;
    if (repeats_[name] == kMostRepeats) return false;
    ++repeats_[name];
    again_.push_back(name);
    pauses_.push_back(name + " runs again.");
    asked_again_ = test == running_;
    return true;
}

std::optional<std::string> Watch::take_again() {
    if (again_.empty()) return std::nullopt;
    std::string name = std::move(again_.back());
    again_.pop_back();
    return name;
}

TestResult& Watch::open_test(const std::string& name) {
    for (size_t i = 0; i < tests_.size(); ++i)
        if (!test_ended_[i] && tests_[i].name == name) return tests_[i];
    tests_.push_back({.name = name, .reached = Reached::kNothing});
    test_ended_.push_back(false);
    return tests_.back();
}

std::string Watch::running_test() const {
    return running_ < tests_.size() ? tests_[running_].name : std::string();
}

milliseconds Watch::since_start(Time now) const {
    return std::chrono::duration_cast<milliseconds>(now - start_);
}

}  // namespace zcrxlab
