// Findings: defects of kernels that scenarios have shown. docs/findings.md and the known issues are
// made of them.
//
// A text has no full stop at its end and no Markdown in it. A member without a default has to be
// written: a finding that lacks one does not compile.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// In Rule::tests: every scenario, where the symptom cannot mean anything else.
inline constexpr std::string_view kAnyScenario = "*";

// What has to be typed to see a finding: vm/zcrxlab run --filter FILTER OPTIONS.
struct Shown {
    std::string_view filter;
    std::string_view options = {};
    std::string_view remark = {};  // when this shows it, if not always
};

// By which failure a scenario shows a finding. Such a failure is reported as known, not as failed.
struct Rule {
    // These four say what is special about one of several rules; empty: as the finding has it.
    std::string_view id = {};
    std::string_view happens = {};
    std::string_view seen_on = {};
    std::vector<std::string_view> tests;  // GoogleTest names of scenarios, or kAnyScenario
    std::string_view symptom;             // text of the complaint
    // Texts of complaints that come with the symptom, and are known only together with it.
    std::vector<std::string_view> consequences = {};
};

struct Finding {
    std::string_view id;  // words joined by hyphens
    // What does not hold: rows of the contract by identifier, or, where none of them says it, a
    // sentence.
    std::vector<std::string_view> breaks = {};
    std::string_view promised = {};
    std::string_view happens;        // in place of what is promised
    std::string_view details = {};   // what else was found out; may be several sentences
    std::string_view source;         // where the defect is, as file:function
    std::string_view affected = {};  // releases that have it, as far as the source tells
    std::string_view seen_on;        // releases on which a scenario has shown it, drivers, settings
    std::string_view not_on = {};    // releases on which the same scenario passed
    std::string_view fixed_in = {};  // first release without it, "7.2.10"; empty: none is known
    std::string_view fix = {};       // what mends it: the commit, or how far it is mended
    std::vector<Shown> shown_by;
    std::vector<Rule> rules = {};  // empty: its scenario does not end with a failure of its own
    // Somebody could do harm with it, and kernels that are in use have it. Pages show how many of
    // these there are, and nothing else.
    bool embargoed = false;
};

// All findings. The first rule that explains a failure names it, so their order counts.
std::span<const Finding> findings();

// Where the defect is and what is known of a fix, in one line.
std::string reference_of(const Finding& finding);
// The scenarios that show findings that are embargoed; "NAME*" is all whose names begin so.
std::vector<std::string> embargoed_scenarios(std::span<const Finding> findings);

// The parts of findings(), by where the defect is.
std::vector<Finding> findings_in_io_uring();
std::vector<Finding> findings_in_the_network_stack();
std::vector<Finding> findings_in_gve();
std::vector<Finding> findings_that_are_fixed();

}  // namespace zcrxlab
