// results.tap: TAP version 13. Directives: SKIP, also for what was blocked, and TODO for known
// defects; "time=12ms" is a comment.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

// '#' would begin a directive, so it cannot be part of a name or a reason; a name that begins with
// "- " would lose that.
std::string plain(std::string_view text) {
    std::string line = on_one_line(text);
    std::replace(line.begin(), line.end(), '#', '_');
    return line;
}

void add_diagnostics(std::string& tap, std::string_view text) {
    const std::string clean = cleaned(text);
    for (size_t at = 0; at < clean.size();) {
        const size_t end = std::min(clean.find('\n', at), clean.size());
        tap += "# " + clean.substr(at, end - at) + "\n";
        at = end + 1;
    }
}

std::string in_milliseconds(double seconds) {
    const double milliseconds = std::isfinite(seconds) ? std::max(seconds, 0.0) * 1e3 : 0;
    return fmt::format("time={:.0f}ms", milliseconds);
}

std::string reason_with_reference(const TestResult& test) {
    const std::string reference = plain(test.reference);
    const std::string message = plain(test.message);
    if (reference.empty() || message.empty()) return reference + message;
    return reference + ": " + message;
}

}  // namespace

std::string to_tap(const RunSummary& run) {
    std::string tap =
        fmt::format("TAP version 13\n# kernel {}, nic {}, seed {}\n1..{}\n",
                    on_one_line(run.kernel), on_one_line(run.nic), run.seed, run.tests.size());
    // How strong a "passed" is.
    for (const auto& [name, value] : run.properties)
        if (name == "zero_copy_proof") add_diagnostics(tap, "zero copy proven by: " + value);
    std::array<size_t, kTestStatuses> counts{};
    size_t number = 0;
    for (const TestResult& test : run.tests) {
        ++counts[static_cast<size_t>(test.status)];
        const bool ok = test.status == TestStatus::kPassed || test.status == TestStatus::kSkipped ||
                        test.status == TestStatus::kBlocked;
        tap += fmt::format("{} {} {}", ok ? "ok" : "not ok", ++number, plain(test.name));
        switch (test.status) {
            case TestStatus::kSkipped:
                tap += " # SKIP " + plain(test.message);
                break;
            case TestStatus::kKnown:
                tap += " # TODO " + reason_with_reference(test);
                break;
            case TestStatus::kBlocked:
                tap += " # SKIP blocked: " + reason_with_reference(test);
                break;
            default:
                tap += " # " + in_milliseconds(test.seconds);
                break;
        }
        tap += "\n";
        if (test.status == TestStatus::kLost) tap += "# lost: the guest never told its end\n";
        if (test.status == TestStatus::kFailed || test.status == TestStatus::kLost) {
            add_diagnostics(tap, test.message);
            for (const std::string& line : test.trace) add_diagnostics(tap, line);
        }
    }
    const auto count = [&](TestStatus status) { return counts[static_cast<size_t>(status)]; };
    tap += fmt::format(
        "# Totals: pass:{} fail:{} xfail:{} xpass:0 skip:{} error:{}\n", count(TestStatus::kPassed),
        count(TestStatus::kFailed), count(TestStatus::kKnown),
        count(TestStatus::kSkipped) + count(TestStatus::kBlocked), count(TestStatus::kLost));
    if (count(TestStatus::kBlocked) > 0)
        tap += fmt::format("# blocked: {} of the skipped\n", count(TestStatus::kBlocked));
    if (!run.unexpected.empty()) add_diagnostics(tap, run.unexpected);
    if (run.ending != Ending::kFinished) tap += "Bail out! " + plain(run.ending_message) + "\n";
    return tap;
}

}  // namespace zcrxlab
