// Runs scenarios, compares, and repeats what failed.
#include "cli/coverage/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "harness/base/number.hpp"

namespace zcrxlab {
namespace {

using std::chrono::steady_clock;

// A run on a changed kernel may take this many times as long as one on the kernel as it is.
constexpr double kPatience = 3;
constexpr unsigned kLeastSeconds = 180;
// How often a failure that does not come again is set aside.
constexpr int kRounds = 4;
// How often the scenario of a failure runs alone, with the mistake and without.
constexpr unsigned kRepeats = 3;
constexpr size_t kFewTests = 12;
constexpr const char* kReference = "unpatched";
constexpr const char* kReferenceAgain = "unpatched-again";
constexpr const char* kOriginal = "original";

double elapsed(steady_clock::time_point start) {
    return std::chrono::duration<double>(steady_clock::now() - start).count();
}

bool has(const RunSummary& run, const std::string& test, TestStatus status) {
    const auto found = std::ranges::find(run.tests, test, &TestResult::name);
    return found != run.tests.end() && found->status == status;
}

}  // namespace

Result<void> Judge::run_reference(const Subject& without) {
    const auto start = steady_clock::now();
    auto ran = laboratory_->run({.subject = without,
                                 .name = place_of(kReference),
                                 .filter = filter_,
                                 .seconds = 0,
                                 .vms = vms_for(filter_, first_vms_),
                                 .nic = nic_,
                                 .tells_reach = true});
    if (!ran) return ran.error();
    if (ran->ending != Ending::kFinished)
        return Error{EIO, "The run on the kernel as it is did not end: " + ran->ending_message};
    auto reached = laboratory_->reach_of(place_of(kReference));
    if (!reached) return reached.error();
    reference_ = std::move(*ran);
    reached_ = std::move(*reached);
    // One VM alone takes as long as all of these together.
    const unsigned vms = number_from<unsigned>(vms_of_reference()).value_or(1);
    patience_ = std::max(kLeastSeconds, static_cast<unsigned>(kPatience * vms * elapsed(start)));
    return {};
}

Result<void> Judge::compare_reference(const Subject& without, const Subject& as_it_is) {
    std::vector<std::string> failed;
    for (const TestResult& test : reference_.tests)
        if (test.status == TestStatus::kFailed) failed.push_back(test.name);
    if (failed.empty()) return {};
    const auto original =
        run(as_it_is, kOriginal, fmt::format("{}", fmt::join(failed, ":")), false);
    if (!original) return original.error();
    for (const std::string& test : failed) {
        if (!has(*original, test, TestStatus::kPassed)) continue;
        const auto again = run(without, kReferenceAgain, test, false);
        if (!again) return again.error();
        if (has(*again, test, TestStatus::kFailed))
            return Error{EIO,
                         fmt::format("{} fails on the kernel with mistakes to switch on, while "
                                     "none is, and passes on the kernel as it is: the "
                                     "switches change what the kernel does",
                                     test)};
    }
    return {};
}

Result<void> Judge::judge(Attempt& attempt, const Subject& with, const Subject& without,
                          const std::optional<std::set<std::string>>& reaching) {
    const auto start = steady_clock::now();
    // Those of runs on another NIC say nothing about this one.
    const size_t at_times_before = attempt.at_times.size();
    const double seconds_before = attempt.run_seconds;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::string> but;
        for (size_t i = at_times_before; i < attempt.at_times.size(); ++i)
            but.push_back(attempt.at_times[i].test);
        const std::vector<std::string> asked = whom_to_ask(reaching, but);
        if (asked.empty()) break;
        const bool all = asked.size() == reference_.tests.size();
        const auto over = judge_once(attempt, with, without,
                                     all ? filter_ : fmt::format("{}", fmt::join(asked, ":")));
        attempt.run_seconds = seconds_before + elapsed(start);
        if (!over) return over.error();
        if (*over) return {};
    }
    attempt.verdict = {};
    return {};
}

Result<void> Judge::judge_few(Attempt& attempt, const Subject& with, const Subject& without,
                              const std::vector<std::string>& few) {
    if (few.empty()) return {};
    const auto start = steady_clock::now();
    const auto over = judge_once(attempt, with, without, fmt::format("{}", fmt::join(few, ":")));
    attempt.run_seconds += elapsed(start);
    if (!over) return over.error();
    if (!*over || !attempt.verdict.noticed) attempt.verdict = {};
    return {};
}

std::vector<std::string> Judge::whom_to_ask(const std::optional<std::set<std::string>>& reaching,
                                            const std::vector<std::string>& but) const {
    std::vector<std::string> asked = sound_tests(reference_);
    std::erase_if(asked, [&](const std::string& test) {
        return std::ranges::find(but, test) != but.end() || (reaching && !reaching->contains(test));
    });
    return asked;
}

// Whether there is nothing more to ask.
Result<bool> Judge::judge_once(Attempt& attempt, const Subject& with, const Subject& without,
                               const std::string& filter) {
    const auto ran = run(with, attempt.name, filter, true);
    if (!ran) return ran.error();
    attempt.verdict = verdict_on_patch(reference_, *ran);
    attempt.verdict.nic = nic_;
    const PatchVerdict& verdict = attempt.verdict;
    if (!verdict.noticed || verdict.panicked) return true;
    // A guest that did not come up would not have run any.
    const std::string test = verdict.test.empty() ? any_sound_test() : verdict.test;
    const auto again = runs_alone(attempt.name + "-again", test, with, true);
    if (!again) return again.error();
    if (again->failed > 0 && !without_.contains(test)) {
        const auto rate =
            runs_alone(fmt::format("{}-for-{}", kReference, attempt.name), test, without, false);
        if (!rate) return rate.error();
        without_[test] = *rate;
    }
    if (again->failed > 0 && is_proof(*again, without_[test])) {
        attempt.alone = *again;
        return true;
    }
    // It may have been the machine's load; the rest is asked without it.
    AtTimes at_times{test, *again, {}};
    if (again->failed > 0) at_times.without = without_[test];
    attempt.at_times.push_back(std::move(at_times));
    return false;
}

Result<FailureRate> Judge::runs_alone(const std::string& name, const std::string& test,
                                      const Subject& subject, bool until_it_fails) {
    FailureRate rate;
    while (rate.runs < kRepeats && !(until_it_fails && rate.failed > 0)) {
        const auto ran = run(subject, name, test, false);
        if (!ran) return ran.error();
        ++rate.runs;
        if (verdict_on_patch(reference_, *ran).noticed) ++rate.failed;
    }
    return rate;
}

Result<RunSummary> Judge::run(const Subject& subject, const std::string& name,
                              const std::string& filter, bool fail_fast) {
    return laboratory_->run({.subject = subject,
                             .name = place_of(name),
                             .filter = filter,
                             .fail_fast = fail_fast,
                             .seconds = patience_,
                             .vms = vms_for(filter, vms_),
                             .nic = nic_});
}

std::string Judge::place_of(const std::string& name) const {
    return nic_.empty() ? name : name + "-on-" + nic_;
}

// One that passes on the kernel as it is.
std::string Judge::any_sound_test() const {
    const auto found =
        std::ranges::find(reference_.tests, TestStatus::kPassed, &TestResult::status);
    return found == reference_.tests.end() ? filter_ : found->name;
}

// Few scenarios are over before several VMs are up; all others get as many with a filter as
// without.
std::string Judge::vms_for(const std::string& filter, unsigned wanted) const {
    const auto others = static_cast<size_t>(std::ranges::count(filter, ':'));
    if (!filter.empty() && filter.find('*') == std::string::npos && others < kFewTests) return "1";
    return wanted != 0 ? std::to_string(wanted) : vms_of_reference();
}

std::string Judge::vms_of_reference() const {
    for (const auto& [name, value] : reference_.properties)
        if (name == "vms") return value;
    return {};
}

}  // namespace zcrxlab
