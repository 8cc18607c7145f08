// The rows, and a run held against one of them.
#include "scenarios/known_issues/counted_runs.hpp"

#include <algorithm>

namespace zcrxlab {

namespace {

// On two processors, by "vm/zcrxlab run --kernel VERSION --nic NIC".
constexpr CountedRun kRuns[] = {
    {.nic = "gve", .release = "7.3.4+deb", .known = 20, .skipped = 44},
    {.nic = "nodev", .release = "7.3.4+deb", .known = 9, .skipped = 257},
    // What 7.3-rc7 says of itself.
    {.nic = "gve", .release = "7.3-cloud-amd64", .known = 23, .skipped = 44},
    {.nic = "nodev", .release = "7.3-cloud-amd64", .known = 12, .skipped = 257},
    {.nic = "gve", .release = "7.2.13+deb", .known = 21, .skipped = 57},
    {.nic = "nodev", .release = "7.2.13+deb", .known = 11, .skipped = 267},
    {.nic = "gve", .release = "7.2.12+deb", .known = 21, .skipped = 57},
    {.nic = "nodev", .release = "7.2.12+deb", .known = 11, .skipped = 267},
    {.nic = "gve", .release = "7.2.11+deb", .known = 21, .skipped = 57},
    {.nic = "nodev", .release = "7.2.11+deb", .known = 11, .skipped = 267},
    {.nic = "gve",
     .release = "7.2.9+deb",
     .known = 28,
     .blocked_least = 4,
     .blocked_most = 5,
     .skipped = 57},
    // burst-then-silence also ends, by chance, one that now and then runs a CQ or an area dry.
    {.nic = "nodev",
     .release = "7.2.9+deb",
     .known = 17,
     .blocked_least = 4,
     .blocked_most = 6,
     .skipped = 267},
    {.nic = "gve",
     .release = "7.2.6+deb",
     .known = 28,
     .blocked_least = 4,
     .blocked_most = 5,
     .skipped = 57},
    {.nic = "nodev",
     .release = "7.2.6+deb",
     .known = 17,
     .blocked_least = 4,
     .blocked_most = 6,
     .skipped = 267},
    // With the kernel VERSION-amd64: the one for clouds has not its driver.
    {.nic = "bnxt", .release = "7.3.4+deb", .known = 16, .skipped = 32},
    {.nic = "bnxt", .release = "7.2.12+deb", .known = 17, .skipped = 45},
    // As on nodev, burst-then-silence ends some by chance.
    {.nic = "bnxt",
     .release = "6.18.15+deb",
     .known = 17,
     .blocked_least = 1,
     .blocked_most = 4,
     .skipped = 173},
    {.nic = "bnxt",
     .release = "6.17.13+deb",
     .known = 14,
     .blocked_least = 1,
     .blocked_most = 4,
     .skipped = 181},
    // more-than-the-length and resets behind data show by chance, so that they are in no number.
    {.nic = "bnxt",
     .release = "6.16.12+deb",
     .known = 16,
     .blocked_least = 1,
     .blocked_most = 4,
     .skipped = 181},
    // queue-without-buffers-stays-so ends what empties an area, and what a slow reader empties it
    // for.
    {.nic = "gve",
     .release = "6.18.15+deb",
     .known = 25,
     .blocked_least = 47,
     .blocked_most = 61,
     .skipped = 188},
    {.nic = "gve",
     .release = "6.18.12+deb",
     .known = 25,
     .blocked_least = 47,
     .blocked_most = 61,
     .skipped = 188},
    {.nic = "gve",
     .release = "6.18.9+deb",
     .known = 25,
     .blocked_least = 47,
     .blocked_most = 61,
     .skipped = 188},
    {.nic = "gve",
     .release = "6.18.5+deb",
     .known = 25,
     .blocked_least = 47,
     .blocked_most = 61,
     .skipped = 188},
    // gve has no memory providers there, and IORING_REGISTER_ZCRX_IFQ takes no ZCRX_REG_NODEV.
    {.nic = "gve", .release = "6.17.13+deb", .skipped = kEveryOne},
    {.nic = "gve", .release = "6.17.8+deb", .skipped = kEveryOne},
    {.nic = "gve", .release = "6.16.12+deb", .skipped = kEveryOne},
    {.nic = "gve", .release = "6.16.3+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.18.15+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.18.12+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.18.9+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.18.5+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.17.13+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.17.8+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.16.12+deb", .skipped = kEveryOne},
    {.nic = "nodev", .release = "6.16.3+deb", .skipped = kEveryOne},
};

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
    const auto row = std::ranges::find_if(rows, [&](const CountedRun& counted) {
        return counted.nic == nic && release.starts_with(counted.release);
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
