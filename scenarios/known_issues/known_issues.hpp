// Known issues: which finding explains the failure of a scenario.
//
// A failure is known only if an issue names the scenario, each complaint about it has the symptom
// or is a consequence that comes with it, and the kernel is not one in which the defect is fixed:
// there it has come back, and that is a failure. `versions` is for people: no version makes a
// failure known.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// A rule of a finding, with what it takes from the finding.
struct KnownIssue {
    std::string_view id;                              // words joined by hyphens
    std::string_view sentence;                        // what happens; without a full stop
    std::string reference;                            // the fix, or where the defect is
    std::string_view versions;                        // where it was seen
    std::vector<std::string_view> tests;              // GoogleTest names of scenarios
    std::string_view symptom;                         // text of the complaint
    std::vector<std::string_view> consequences = {};  // texts of complaints that come with it
    std::string_view fixed_in = {};  // first release without the defect, "7.2.10"; empty: none yet
    // Of an embargoed finding. What people see of this issue does not say which one it is, and a
    // verdict says nothing of what the scenario met.
    bool embargoed = false;
};

// The rules of these findings, in their order.
std::vector<KnownIssue> known_issues_of(std::span<const Finding> findings);
// Those of all findings.
std::span<const KnownIssue> known_issues();
// Those of `issues` that are not fixed in `release`, "7.3.4+deb13-cloud-amd64".
std::vector<KnownIssue> not_fixed_in(std::span<const KnownIssue> issues, std::string_view release);

// The issue that explains all `complaints` about a scenario, or nothing.
const KnownIssue* explain(std::span<const KnownIssue> issues, std::string_view test,
                          std::span<const std::string> complaints);
// The issues that name a scenario.
std::vector<const KnownIssue*> issues_of(std::span<const KnownIssue> issues, std::string_view test);

}  // namespace zcrxlab
