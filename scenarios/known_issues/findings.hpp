// Findings: defects of kernels that scenarios have shown. docs/findings.md and the known issues are
// made of them.
//
// A text has no full stop at its end and no Markdown in it. A member without a default has to be
// written: a finding that lacks one does not compile.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/framework/facts.hpp"

namespace zcrxlab {

// What has to be typed to see a finding: vm/zcrxlab run --filter FILTER OPTIONS.
struct Shown {
    std::string_view filter;
    std::string_view options = {};
    std::string_view remark = {};  // when this shows it, if not always
};

// The facts of a complaint. All that are given have to be there, and to be so; a kind alone is not
// enough.
struct Symptom {
    ComplaintKind kind = ComplaintKind::kOther;
    // The whole of ComplaintFacts::subject; "#" is a decimal number.
    std::string_view subject = {};
    std::string_view function = {};  // one of ComplaintFacts::functions, by its whole name
    std::optional<int64_t> seen = {}, promised = {};
    std::optional<int64_t> received = {}, sent = {};
    std::optional<int64_t> posted_at_least = {}, posted_at_most = {};
    std::optional<int64_t> posted_when_polled_at_least = {};
    std::optional<int64_t> in_flight_at_least = {}, not_replaced_at_least = {};
    std::optional<int64_t> free_at_least = {};
    std::optional<int64_t> not_left_at_least = {};
    std::optional<int64_t> length = {};
    std::optional<bool> data_waits = {};
    std::string_view socket = {};
};

// In place of a test: what asks the kernel for its features, before the first scenario.
inline constexpr std::string_view kFeatureProbe = "feature probe";

// By which failure a scenario shows a finding. Such a failure is reported as known, not as failed.
//
// A test is the GoogleTest name of a scenario, or "chapter.*" or "chapter.table/*" for all whose
// names begin so. No rule is for all scenarios: what a finding does elsewhere is a failure until a
// person has seen that it is the same.
struct Rule {
    // These four say what is special about one of several rules; empty: as the finding has it.
    std::string_view id = {};
    std::string_view happens = {};
    std::string_view seen_on = {};
    std::vector<std::string_view> fixed_in = {};
    // Scenarios that show it: known. They must fail where the finding is, unless it is there by
    // chance only.
    std::vector<std::string_view> tests = {};
    // Scenarios in whose way it stands: if it ends one before its claim was reached, that one is
    // blocked. One that came to its end is not excused.
    std::vector<std::string_view> blocks = {};
    Symptom symptom;
    // Complaints that come with the symptom, and are known only together with it.
    std::vector<Symptom> consequences = {};
    std::string_view by_chance = {};  // why `tests` need not show it in each run
    // The only target on which `tests` must show it, "gve"; empty: all. On others they may.
    std::string_view target = {};
    // A target on which they may not, since its driver has another defect with this symptom.
    std::string_view never_on = {};
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
    // What is taken for granted of our device where that is the only witness; empty: nothing.
    std::string_view assumes = {};
    std::string_view since = {};  // first release that has it, "7.3"; empty: all with the feature
    // First releases without it, one for each stable branch that got the fix, oldest first. A
    // branch newer than the last one has it from the start; one in between does not. Empty: none is
    // known.
    std::vector<std::string_view> fixed_in = {};
    std::string_view fix = {};  // what mends it: the commit, or how far it is mended
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
// "7.1.6 and 7.2.10": where it is fixed; empty if nowhere.
std::string fixes_of(const Finding& finding);
// The scenarios that show findings that are embargoed; "NAME*" is all whose names begin so.
std::vector<std::string> embargoed_scenarios(std::span<const Finding> findings);

// Where several of these complaints may come in one scenario: the symptoms, and a rule for each, as
// `rule` has it but for its symptom, of which the others are consequences.
std::vector<Symptom> symptoms_of(ComplaintKind kind,
                                 std::initializer_list<std::string_view> subjects);
std::vector<Rule> rules_for_each(const std::vector<Symptom>& symptoms, const Rule& rule);

// The parts of findings(), by where the defect is.
std::vector<Finding> findings_in_io_uring();
std::vector<Finding> findings_in_the_network_stack();
std::vector<Finding> findings_in_gve();
std::vector<Finding> findings_in_bnxt();
std::vector<Finding> findings_that_are_fixed();

}  // namespace zcrxlab
