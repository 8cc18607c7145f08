// Known issues: made of findings, and compared with the complaints about a scenario.
#include "scenarios/known_issues/known_issues.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace zcrxlab {
namespace {

// 7, 3 and 4 of "7.3.4+deb13-cloud-amd64"; what is not there is 0.
std::array<unsigned, 3> numbers_of(std::string_view release) {
    std::array<unsigned, 3> numbers{};
    const char* at = release.data();
    const char* const end = at + release.size();
    for (unsigned& number : numbers) {
        at = std::from_chars(at, end, number).ptr;
        if (at == end || *at != '.') break;
        ++at;
    }
    return numbers;
}

std::string_view either(std::string_view own, std::string_view otherwise) {
    return own.empty() ? otherwise : own;
}

// Reports of runs are passed on, so they tell of an embargoed finding that there is one.
void withhold(KnownIssue& issue) {
    issue.id = "embargoed";
    issue.sentence = "somebody could do harm with it, so maintainers are told first";
    issue.reference = "docs/findings.md, Embargoed";
    issue.versions = "this kernel or others";
    issue.embargoed = true;
}

}  // namespace

std::vector<KnownIssue> known_issues_of(std::span<const Finding> findings) {
    std::vector<KnownIssue> issues;
    for (const Finding& finding : findings)
        for (const Rule& rule : finding.rules) {
            issues.push_back({
                .id = either(rule.id, finding.id),
                .sentence = either(rule.happens, finding.happens),
                .reference = reference_of(finding),
                .versions = either(rule.seen_on, finding.seen_on),
                .tests = rule.tests,
                .symptom = rule.symptom,
                .consequences = rule.consequences,
                .fixed_in = finding.fixed_in,
            });
            if (finding.embargoed) withhold(issues.back());
        }
    return issues;
}

std::span<const KnownIssue> known_issues() {
    static const std::vector<KnownIssue> all = known_issues_of(findings());
    return all;
}

std::vector<KnownIssue> not_fixed_in(std::span<const KnownIssue> issues, std::string_view release) {
    std::vector<KnownIssue> there;
    for (const KnownIssue& issue : issues)
        if (issue.fixed_in.empty() || numbers_of(release) < numbers_of(issue.fixed_in))
            there.push_back(issue);
    return there;
}

std::vector<const KnownIssue*> issues_of(std::span<const KnownIssue> issues,
                                         std::string_view test) {
    std::vector<const KnownIssue*> found;
    for (const KnownIssue& issue : issues)
        if (std::ranges::find(issue.tests, test) != issue.tests.end()) found.push_back(&issue);
    return found;
}

const KnownIssue* explain(std::span<const KnownIssue> issues, std::string_view test,
                          std::span<const std::string> complaints) {
    if (complaints.empty()) return nullptr;
    const auto names = [test](const KnownIssue& issue) {
        return std::ranges::any_of(issue.tests, [test](std::string_view name) {
            return name == test || name == kAnyScenario;
        });
    };
    for (const KnownIssue& issue : issues) {
        const auto has_symptom = [&issue](const std::string& complaint) {
            return complaint.find(issue.symptom) != std::string::npos;
        };
        const auto belongs = [&](const std::string& complaint) {
            return has_symptom(complaint) ||
                   std::ranges::any_of(issue.consequences, [&](std::string_view text) {
                       return complaint.find(text) != std::string::npos;
                   });
        };
        if (names(issue) && std::ranges::any_of(complaints, has_symptom) &&
            std::ranges::all_of(complaints, belongs))
            return &issue;
    }
    return nullptr;
}

}  // namespace zcrxlab
