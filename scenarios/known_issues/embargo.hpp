// Embargo: what is made to be passed on says of an embargoed finding that there is one, and no
// more.
//
// That is each page, results.* and what "zcrxlab repro" makes. The terminal and the logs of a run
// are for whoever ran it, who has to see why it failed. docs/findings.md has the rule for people.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/report/report.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// TestResult::reference of a result that an embargoed finding explains.
inline constexpr std::string_view kEmbargoReference = "docs/findings.md, Embargoed";

// What stands in place of all that would tell of such a finding: that there is one, and how it is
// reported. Whole sentences.
std::string embargo_notice();

// Whether `text`, a splat or a message, names each function that the source of an embargoed finding
// does.
bool tells_of_embargoed(std::span<const Finding> findings, std::string_view text);

// Whether a result is of an embargoed finding: one explains it, or its guest was lost in a scenario
// that shows one.
bool is_embargoed(std::span<const Finding> findings, const TestResult& result);

// The run as it may be passed on: where its guest was lost by an embargoed finding, neither the
// console nor a message says how.
RunSummary fit_to_pass_on(std::span<const Finding> findings, RunSummary run);

}  // namespace zcrxlab
