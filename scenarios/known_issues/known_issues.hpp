// Known issues: kernel defects that scenarios show, each with the symptom by which it is told.
//
// A failure is known only if the scenario is named here, every complaint about it has the symptom
// or is a consequence that comes with it, and the kernel is not one in which the defect is mended:
// there it has come back, and that is a failure. No version makes a failure known; `versions` is
// for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// In a list of scenarios: whichever has the symptom, where that cannot mean anything else.
inline constexpr std::string_view kAnyScenario = "*";

struct KnownIssue {
    std::string_view id;        // words joined by hyphens
    std::string_view sentence;  // what happens, and what is promised; without a full stop
    std::string_view
        reference;              // the fix, or where the defect is in the source while none is known
    std::string_view versions;  // where it was seen
    std::vector<std::string_view> tests;              // GoogleTest names of scenarios
    std::string_view symptom;                         // text of the complaint
    std::vector<std::string_view> consequences = {};  // texts of complaints that come with it
    std::string_view fixed_in = {};  // first release without the defect, "7.2.10"; empty: none yet
};

// All of them.
std::span<const KnownIssue> known_issues();
// Those of `issues` that are not mended in `release`, "7.3.4+deb13-cloud-amd64".
std::vector<KnownIssue> not_fixed_in(std::span<const KnownIssue> issues, std::string_view release);

// The issue that explains all `complaints` about a scenario, or nothing.
const KnownIssue* explain(std::span<const KnownIssue> issues, std::string_view test,
                          std::span<const std::string> complaints);
// The issues by which a scenario is named.
std::vector<const KnownIssue*> issues_of(std::span<const KnownIssue> issues, std::string_view test);

}  // namespace zcrxlab
