// CountedRuns: how many scenarios of a run of everything are known, blocked and skipped, for the
// kernels and NICs on which a person has counted them.
//
// One more or one fewer is a failure until a person has changed the number: what a finding hides
// today, and did not hide yesterday, fails nowhere else.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "harness/report/report.hpp"
#include "scenarios/known_issues/known_issues.hpp"

namespace zcrxlab {

// As many as there are: the NIC has nothing for zero-copy receive on that kernel.
inline constexpr size_t kEveryOne = static_cast<size_t>(-1);

struct CountedRun {
    std::string_view nic;          // as RunSummary::nic
    std::string_view first, last;  // kernels of Debian's, "7.0.4" to "7.0.13"
    // Those that show a finding in each run. What shows one by chance only (Rule::by_chance) is in
    // no number: it may be known as well as passed.
    size_t known = 0;
    // A finding that is there whenever a reader is slow for a moment ends sometimes more and
    // sometimes fewer: at least and at most so many.
    size_t blocked_least = 0, blocked_most = 0;
    size_t skipped = 0;  // or kEveryOne
};

std::span<const CountedRun> counted_runs();

// The row for the run; nothing where nobody has counted, or where the kernel is somebody's own.
const CountedRun* find_counted_run(std::span<const CountedRun> rows, std::string_view nic,
                                   std::string_view release);

// Each number that is not as in the row, in one sentence: "gve on 7.3.4: 21 known, 20 are
// expected; ..."; empty if all are. `issues` are those of the run's kernel. A run that did not come
// to its end has no numbers.
std::string differs(const CountedRun& row, std::span<const KnownIssue> issues,
                    const RunSummary& run);

}  // namespace zcrxlab
