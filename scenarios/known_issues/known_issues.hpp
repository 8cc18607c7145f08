// Known issues: which finding explains the failure of a scenario.
//
// A failure is known only if an issue names the scenario, the facts of each complaint about it are
// the symptom or a consequence that comes with it, and the kernel is one that has the defect: where
// it is fixed it has come back, and that is a failure. `versions` is for people: no version makes a
// failure known.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// A rule of a finding, with what it takes from the finding.
struct KnownIssue {
    std::string_view id;          // words joined by hyphens
    std::string_view sentence;    // what happens; without a full stop
    std::string reference;        // the fix, or where the defect is
    std::string_view versions;    // where it was seen
    std::string_view since = {};  // as in Finding
    std::vector<std::string_view> fixed_in = {};
    Rule rule = {};
    // Of an embargoed finding. What people see of this issue does not say which one it is, and a
    // verdict says nothing of what the scenario met.
    bool embargoed = false;
};

// The rules of these findings, in their order.
std::vector<KnownIssue> known_issues_of(std::span<const Finding> findings);
// Those of all findings.
std::span<const KnownIssue> known_issues();

using Release = std::array<unsigned, 3>;
// 7, 3 and 4 of "7.3.4+deb13-cloud-amd64"; what is not there is 0.
Release numbers_of(std::string_view release);

// Whether `release`, "7.3.4+deb13-cloud-amd64", is one of those that got a fix which came first to
// these releases (see Finding::fixed_in). A release candidate counts as the release.
bool is_fixed(std::span<const std::string_view> fixed_in, std::string_view release);
// Those of `issues` that `release` has, and may show on this target.
std::vector<KnownIssue> issues_in(std::span<const KnownIssue> issues, std::string_view release,
                                  std::string_view target);

// Whether these facts are the symptom.
bool matches(const Symptom& symptom, const ComplaintFacts& facts);

// The issue that explains all `complaints` about a scenario, or nothing. `ended`: the scenario came
// to its end, so that nothing can have stood in its way.
const KnownIssue* explain(std::span<const KnownIssue> issues, std::string_view test, bool ended,
                          std::span<const ComplaintFacts> complaints);
// Whether the issue names the scenario as one that shows it; of others it stands in the way.
bool shows(const KnownIssue& issue, std::string_view test);
// The issues that the scenario must show on this target; empty: none has to show.
std::vector<const KnownIssue*> due(std::span<const KnownIssue> issues, std::string_view test,
                                   std::string_view target);

}  // namespace zcrxlab
