// The rows, and a run held against one of them.
#include "scenarios/known_issues/counted_runs.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

// On two processors, by "vm/zcrxlab run --kernel VERSION --nic NIC"; for bnxt VERSION-amd64, since
// the kernel for clouds has not its driver. 7.3-rc7 says of itself that it is 7.3. What is blocked
// is ended by burst-then-silence, and on gve up to 7.1.3 by queue-without-buffers-stays-so: both
// end more where a reader is slow. gve has no memory providers before 6.18, and there is no
// ZCRX_REG_NODEV before 7.1.
// clang-format off
constexpr CountedRun kRuns[] = {
    // NIC         first     last      known blocked  skipped
    {"gve",       "7.3.4",  "7.3.4",   24,   0,  0,   64},
    {"gve",       "7.3",    "7.3",     27,   0,  0,   64},
    {"gve",       "7.2.11", "7.2.13",  25,   0,  0,   77},
    {"gve",       "7.2.6",  "7.2.9",   32,   4,  5,   77},
    {"gve",       "7.1.13", "7.1.13",  33,   4,  7,   105},
    {"gve",       "7.1.7",  "7.1.8",   34,   4,  7,   105},
    {"gve",       "7.1.3",  "7.1.3",   39,   84, 101, 105},
    {"gve",       "7.0.4",  "7.0.13",  34,   84, 100, 153},
    {"gve",       "6.19.6", "6.19.14", 34,   84, 99,  157},
    {"gve",       "6.18.5", "6.18.15", 31,   47, 61,  228},
    {"gve",       "6.16.3", "6.17.13", 0,    0,  0,   kEveryOne},
    {"bnxt",      "7.3.4",  "7.3.4",   18,   0,  0,   44},
    {"bnxt",      "7.3",    "7.3",     21,   0,  0,   44},
    {"bnxt",      "7.2.11", "7.2.13",  19,   0,  0,   58},
    {"bnxt",      "7.2.6",  "7.2.9",   25,   3,  7,   58},
    {"bnxt",      "7.1.13", "7.1.13",  26,   3,  7,   86},
    {"bnxt",      "7.1.7",  "7.1.8",   27,   3,  7,   86},
    {"bnxt",      "7.1.3",  "7.1.3",   29,   3,  7,   86},
    {"bnxt",      "7.0.4",  "7.0.13",  24,   1,  4,   120},
    {"bnxt",      "6.19.6", "6.19.14", 24,   1,  4,   134},
    {"bnxt",      "6.18.5", "6.18.15", 21,   1,  4,   203},
    {"bnxt",      "6.17.8", "6.17.13", 18,   1,  4,   211},
    {"bnxt",      "6.16.3", "6.16.12", 19,   1,  4,   211},
    {"nodev",     "7.3.4",  "7.3.4",   9,    0,  0,   313},
    {"nodev",     "7.3",    "7.3",     12,   0,  0,   313},
    {"nodev",     "7.2.11", "7.2.13",  11,   0,  0,   324},
    {"nodev",     "7.2.6",  "7.2.9",   17,   4,  6,   324},
    {"nodev",     "7.1.13", "7.1.13",  19,   4,  7,   348},
    {"nodev",     "7.1.3",  "7.1.8",   20,   4,  7,   348},
    {"nodev",     "6.16.3", "7.0.13",  0,    0,  0,   kEveryOne},
    {"netdevsim", "7.3.4",  "7.3.4",   14,   0,  0,   72},
    {"netdevsim", "7.2.11", "7.2.12",  15,   0,  0,   86},
    {"netdevsim", "7.2.6",  "7.2.9",   22,   4,  7,   86},
};
// clang-format on

// "7.3.4+deb13-cloud-amd64"; "7.3-amd64" is a candidate, which does not say so.
bool is_of_debian(std::string_view release) {
    if (release.find("+deb") != std::string_view::npos) return true;
    const size_t numbers = release.find_first_not_of("0123456789.");
    const std::string_view flavour =
        numbers == std::string_view::npos ? "" : release.substr(numbers);
    return std::ranges::count(release, '.') == 1 &&
           (flavour == "-amd64" || flavour == "-cloud-amd64");
}

// That a test is known tells of no new thing only if it has to be.
bool has_to_show(std::span<const KnownIssue> issues, const RunSummary& run,
                 const TestResult& test) {
    return !due(issues, test.name, run.nic).empty();
}

// ", without a.x (passed), a.y (blocked)"; empty if all that ran and have to show a finding do.
std::string not_shown(std::span<const KnownIssue> issues, const RunSummary& run) {
    std::string names;
    for (const TestResult& test : run.tests) {
        if (test.status == TestStatus::kKnown || test.status == TestStatus::kSkipped ||
            !has_to_show(issues, run, test))
            continue;
        names += (names.empty() ? ", without " : ", ") + test.name + " (" +
                 std::string(name_of(test.status)) + ")";
    }
    return names;
}

size_t count_of(const RunSummary& run, TestStatus status) {
    return static_cast<size_t>(std::ranges::count(run.tests, status, &TestResult::status));
}

void compare(std::string& text, size_t seen, const char* what, size_t least, size_t most) {
    if (seen >= least && seen <= most) return;
    if (!text.empty()) text += "; ";
    text += std::to_string(seen) + " " + what + ", " + std::to_string(least);
    if (most != least) text += " to " + std::to_string(most);
    text += least == 1 && most == 1 ? " is expected" : " are expected";
}

}  // namespace

std::span<const CountedRun> counted_runs() {
    return kRuns;
}

const CountedRun* find_counted_run(std::span<const CountedRun> rows, std::string_view nic,
                                   std::string_view release) {
    if (!is_of_debian(release)) return nullptr;
    const Release asked = numbers_of(release);
    const auto row = std::ranges::find_if(rows, [&](const CountedRun& counted) {
        return counted.nic == nic && numbers_of(counted.first) <= asked &&
               asked <= numbers_of(counted.last);
    });
    return row == rows.end() ? nullptr : &*row;
}

std::string differs(const CountedRun& row, std::span<const KnownIssue> issues,
                    const RunSummary& run) {
    if (run.ending != Ending::kFinished) return {};
    const auto known =
        static_cast<size_t>(std::ranges::count_if(run.tests, [&](const TestResult& test) {
            return test.status == TestStatus::kKnown && has_to_show(issues, run, test);
        }));
    const size_t by_chance = count_of(run, TestStatus::kKnown) - known;
    std::string text;
    compare(text, known, "known", row.known, row.known);
    if (!text.empty() && by_chance > 0)
        text += " (beside " + std::to_string(by_chance) + " by chance)";
    if (!text.empty()) text += not_shown(issues, run);
    compare(text, count_of(run, TestStatus::kBlocked), "blocked", row.blocked_least,
            row.blocked_most);
    const size_t skipped = row.skipped == kEveryOne ? run.tests.size() : row.skipped;
    compare(text, count_of(run, TestStatus::kSkipped), "skipped", skipped, skipped);
    if (text.empty()) return {};
    const std::string release = run.kernel.substr(0, run.kernel.find('+'));
    return run.nic + " on " + release + ": " + text +
           ". If that is right, change the row in scenarios/known_issues/counted_runs.cpp.";
}

}  // namespace zcrxlab
