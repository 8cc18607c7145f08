// ExpectedCounts: how many tests of a run should end how, which somebody has written down. What is
// skipped today and ran yesterday is no failure of any test; a number is what notices it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "harness/report/report.hpp"

namespace zcrxlab {

// Those that are not named may be any number.
using ExpectedCounts = std::map<TestStatus, size_t>;

// "passed=498,known=20,skipped=19", each status once at most. EINVAL with what is wrong.
Result<ExpectedCounts> expected_counts_from(std::string_view text);

// Empty if the run has these numbers; otherwise a sentence with each that differs.
std::string unexpected_counts(const ExpectedCounts& expected, const RunSummary& run);

}  // namespace zcrxlab
