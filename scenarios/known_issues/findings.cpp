// All findings in one list, and what is derived from a single one.
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

std::span<const Finding> findings() {
    static const std::vector<Finding> all = [] {
        std::vector<Finding> joined;
        for (const auto part : {findings_in_io_uring, findings_in_the_network_stack,
                                findings_in_gve, findings_in_bnxt, findings_that_are_fixed})
            for (Finding& finding : part()) joined.push_back(std::move(finding));
        return joined;
    }();
    return all;
}

std::vector<Symptom> symptoms_of(ComplaintKind kind,
                                 std::initializer_list<std::string_view> subjects) {
    std::vector<Symptom> symptoms;
    for (const std::string_view subject : subjects)
        symptoms.push_back({.kind = kind, .subject = subject});
    return symptoms;
}

std::vector<Rule> rules_for_each(const std::vector<Symptom>& symptoms, const Rule& rule) {
    std::vector<Rule> rules;
    for (const Symptom& symptom : symptoms) {
        rules.push_back(rule);
        rules.back().symptom = symptom;
        rules.back().consequences = symptoms;
    }
    return rules;
}

std::string fixes_of(const Finding& finding) {
    std::string text;
    for (const std::string_view release : finding.fixed_in) {
        if (!text.empty()) text += release == finding.fixed_in.back() ? " and " : ", ";
        text += release;
    }
    return text;
}

std::string reference_of(const Finding& finding) {
    std::string text(finding.source);
    if (!finding.affected.empty()) text += "; " + std::string(finding.affected);
    if (finding.fixed_in.empty())
        return text + (finding.fix.empty() ? ", no fix known" : "; " + std::string(finding.fix));
    text += ", fixed in " + fixes_of(finding);
    return finding.fix.empty() ? text : text + " " + std::string(finding.fix);
}

std::vector<std::string> embargoed_scenarios(std::span<const Finding> findings) {
    std::vector<std::string> names;
    for (const Finding& finding : findings) {
        if (!finding.embargoed) continue;
        for (const Shown& shown : finding.shown_by) names.emplace_back(shown.filter);
        for (const Rule& rule : finding.rules)
            for (const std::string_view test : rule.tests) names.emplace_back(test);
    }
    return names;
}

}  // namespace zcrxlab
