// The names of statuses, and the exit code of a run.
#include <algorithm>
#include <array>

#include "harness/base/exit_code.hpp"
#include "harness/report/report.hpp"

namespace zcrxlab {

namespace {

struct Row {
    TestStatus status;
    std::string_view name;
};

constexpr std::array kStatuses = {
    Row{TestStatus::kPassed, "passed"},   Row{TestStatus::kFailed, "failed"},
    Row{TestStatus::kKnown, "known"},     Row{TestStatus::kBlocked, "blocked"},
    Row{TestStatus::kSkipped, "skipped"}, Row{TestStatus::kLost, "lost"},
};

static_assert(kStatuses.size() == kTestStatuses);

struct EndingRow {
    Ending ending;
    std::string_view name;
};

constexpr std::array kEndings = {
    EndingRow{Ending::kFinished, "finished"},       EndingRow{Ending::kTimeout, "timeout"},
    EndingRow{Ending::kPanicked, "panicked"},       EndingRow{Ending::kLost, "lost"},
    EndingRow{Ending::kInterrupted, "interrupted"},
};

bool any(const RunSummary& run, TestStatus status) {
    return std::any_of(run.tests.begin(), run.tests.end(),
                       [&](const TestResult& test) { return test.status == status; });
}

}  // namespace

std::string_view name_of(TestStatus status) {
    for (const Row& row : kStatuses)
        if (row.status == status) return row.name;
    return "lost";
}

std::optional<TestStatus> status_from_name(std::string_view name) {
    for (const Row& row : kStatuses)
        if (row.name == name) return row.status;
    return {};
}

std::string_view name_of(Ending ending) {
    for (const EndingRow& row : kEndings)
        if (row.ending == ending) return row.name;
    return "lost";
}

std::optional<Ending> ending_from_name(std::string_view name) {
    for (const EndingRow& row : kEndings)
        if (row.name == name) return row.ending;
    return {};
}

int exit_code(const RunSummary& run) {
    switch (run.ending) {
        case Ending::kTimeout:
            return kExitTimeout;
        case Ending::kInterrupted:
            return kExitInterrupted;
        case Ending::kPanicked:
        case Ending::kLost:
            return kExitLost;
        case Ending::kFinished:
            break;
    }
    if (any(run, TestStatus::kLost)) return kExitLost;
    if (any(run, TestStatus::kFailed)) return kExitFailed;
    if (run.tests.empty()) return kExitUsage;
    if (!run.unexpected.empty()) return kExitFailed;
    return any(run, TestStatus::kPassed) || any(run, TestStatus::kKnown) ? kExitPassed
                                                                         : kExitSkipped;
}

}  // namespace zcrxlab
