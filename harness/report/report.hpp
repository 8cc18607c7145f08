// The report of a run: TAP, JUnit XML and JSON for machines, sentences for people, the exit code.
//
// Names and messages come out of the guest and are not trusted: every form escapes or removes what
// would break it (control characters, terminal escapes, invalid UTF-8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

enum class TestStatus {
    kPassed,
    kFailed,
    kKnown,    // failed as a known defect of this kernel does; `reference` names it
    kBlocked,  // a known defect ended it before its claim was reached; `reference` names it
    kSkipped,  // something is missing; `message` names it and the command that gets it
    kLost,     // started or planned, and the guest never told the end
};
inline constexpr size_t kTestStatuses = 6;

// How far a test came before its guest was lost.
enum class Reached {
    kNothing,  // it had not started, or nobody knows that it had
    kStart,    // it was running
    kEnd,      // the guest said how it ended
};

struct TestResult {
    std::string name = {};  // Suite.Case
    TestStatus status = TestStatus::kLost;
    double seconds = 0;
    std::string message = {};             // what was expected and what was seen; why skipped
    std::string reference = {};           // kKnown, kBlocked: commit or address of the defect
    std::vector<std::string> trace = {};  // lines of the trace around a failure
    Reached reached = Reached::kEnd;      // less than that only where it is kLost
};

// How the run as a whole ended.
enum class Ending {
    kFinished,     // the guest said that it was done
    kTimeout,      // --timeout passed
    kPanicked,     // the guest's kernel panicked
    kLost,         // QEMU, the device process or the guest went silent or died
    kInterrupted,  // Ctrl-C
};

struct RunSummary {
    std::string kernel = {};  // release, as uname -r in the guest
    std::string nic = {};     // gve, nodev ...
    uint64_t seed = 0;
    double seconds = 0;
    std::vector<TestResult> tests = {};  // in the order they ran
    // What the kernel can do, as the guest found by trying; empty if it never got that far.
    std::vector<std::pair<std::string, bool>> features = {};
    Ending ending = Ending::kFinished;
    std::string ending_message = {};  // a sentence, unless kFinished
    // What is wrong with how many tests ended how, as sentences; empty if nothing is.
    std::string unexpected = {};
    // More for JUnit's <properties>: qemu, version ...
    std::vector<std::pair<std::string, std::string>> properties = {};
    std::string console = {};  // the last console lines, for JUnit's <system-out>
};

// "finished", "timeout", "panicked", "lost", "interrupted", as in results.json.
std::string_view name_of(Ending ending);
std::optional<Ending> ending_from_name(std::string_view name);
// "passed", "failed", "known", "blocked", "skipped", "lost", as in results.json and in records.
std::string_view name_of(TestStatus status);
std::optional<TestStatus> status_from_name(std::string_view name);

// results.tap, TAP version 13.
std::string to_tap(const RunSummary& run);
// results.xml, JUnit.
std::string to_junit(const RunSummary& run);
// results.json: {kernel, nic, seed, seconds, ending, properties, features, tests: [{name, status,
// seconds, message}]}; where there are any, ending_message, unexpected and console, and of a test
// reference and trace. A test that is lost has "reached": "nothing" or "start".
std::string to_json(const RunSummary& run);
// The same back. EINVAL if `text` is no such thing; what is missing in it is as by default.
Result<RunSummary> summary_from_json(std::string_view text);

// One line as a test ends: "passed  Stream.OneByte  0.12 s".
std::string to_line(const TestResult& test);
// A failure for people: the message, the trace around it, the last `console` lines if any, and
// `rerun`, the command that runs just this one again; `timeline`, the one that shows its whole
// trace, if there is one. Ends with a newline.
std::string to_text(const TestResult& test, std::string_view console, std::string_view rerun,
                    std::string_view timeline);
// The summary for people: counts, time, what was not judged, and how the run ended. Ends with a
// newline.
std::string to_text(const RunSummary& run);

// Where the time went: "seconds by chapter: refill 21.3 (34 tests), ..." from the longest on, with
// the tests that took longest. Empty for fewer than two chapters. Ends with a newline.
std::string time_by_chapter(const RunSummary& run);

// 0 passed, 1 failed or not as many as expected, 4 nothing was judged (all skipped or blocked), 64
// no test selected, 124 timeout, 130 interrupted, 255 guest panicked or lost. What happened to the
// guest outweighs what the tests said.
int exit_code(const RunSummary& run);

// `text` as valid UTF-8 without control characters but newline and tab.
std::string cleaned(std::string_view text);
// As cleaned(), and on one line: newlines and tabs become spaces.
std::string on_one_line(std::string_view text);

}  // namespace zcrxlab
