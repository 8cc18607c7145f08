// Compares a run on a changed kernel with one on the unchanged kernel.
#include "results/coverage/verdict_on_patch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace zcrxlab {
namespace {

bool fails(const TestResult& test) {
    return test.status == TestStatus::kFailed || test.status == TestStatus::kLost;
}

const TestResult* test_called(const RunSummary& run, const std::string& name) {
    const auto found = std::ranges::find(run.tests, name, &TestResult::name);
    return found == run.tests.end() ? nullptr : &*found;
}

// "I5 (buffers are conserved: ...) does not hold: ..."
std::string invariants_in(const std::string& message) {
    std::vector<std::string> names;
    std::istringstream lines(message);
    for (std::string line; std::getline(lines, line);) {
        const size_t end = line.find_first_not_of("0123456789", 1);
        if (line[0] != 'I' || end == 1 || end == std::string::npos ||
            line.compare(end, 2, " (") != 0)
            continue;
        names.push_back(line.substr(0, end));
        if (std::ranges::count(names, names.back()) > 1) names.pop_back();
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// The first line, and the indented ones behind it: what was expected, and what was seen.
std::string first_sentence(const std::string& message) {
    size_t end = message.find('\n');
    while (end != std::string::npos && message.compare(end + 1, 1, " ") == 0)
        end = message.find('\n', end + 1);
    return message.substr(0, end);
}

}  // namespace

PatchVerdict verdict_on_patch(const RunSummary& before, const RunSummary& after) {
    PatchVerdict verdict;
    for (const TestResult& test : after.tests) {
        if (test.status != TestStatus::kFailed) continue;
        const TestResult* earlier = test_called(before, test.name);
        if (earlier != nullptr && fails(*earlier)) continue;
        verdict.noticed = true;
        verdict.test = test.name;
        verdict.invariants = invariants_in(test.message);
        verdict.said = first_sentence(test.message);
        verdict.seconds = test.seconds;
        return verdict;
    }
    if (after.ending == Ending::kInterrupted) return verdict;
    const auto running = std::ranges::find_if(after.tests, [](const TestResult& test) {
        return test.status == TestStatus::kLost && test.reached == Reached::kStart;
    });
    // A guest that is done has ended its tests, unless its kernel took away who runs them: during
    // one, or before the first.
    const bool none_ran = after.tests.empty() && !before.tests.empty();
    if (after.ending == Ending::kFinished && running == after.tests.end() && !none_ran)
        return verdict;
    verdict.noticed = true;
    verdict.guest_ended = true;
    verdict.panicked = after.ending == Ending::kPanicked;
    verdict.said = after.ending_message;
    verdict.seconds = after.seconds;
    if (running != after.tests.end()) {
        verdict.test = running->name;
        if (verdict.said.empty()) verdict.said = running->message;
    }
    if (verdict.said.empty() && none_ran) verdict.said = "No scenario was run.";
    return verdict;
}

bool is_proof(const FailureRate& with, const FailureRate& without) {
    return with.failed > 0 && without.failed == 0 && without.runs >= with.runs;
}

std::vector<std::string> sound_tests(const RunSummary& before) {
    std::vector<std::string> names;
    for (const TestResult& test : before.tests)
        if (!fails(test)) names.push_back(test.name);
    return names;
}

}  // namespace zcrxlab
