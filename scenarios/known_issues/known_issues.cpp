// Known issues: made of findings, and compared with the complaints about a scenario.
#include "scenarios/known_issues/known_issues.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "scenarios/known_issues/embargo.hpp"

namespace zcrxlab {
namespace {

// 7 and 3 of 7.3.4.
std::array<unsigned, 2> branch_of(const Release& release) {
    return {release[0], release[1]};
}

std::string_view either(std::string_view own, std::string_view otherwise) {
    return own.empty() ? otherwise : own;
}

// Reports of runs are passed on, so they tell of an embargoed finding that there is one.
void withhold(KnownIssue& issue) {
    issue.id = "embargoed";
    issue.sentence = "somebody could do harm with it, so maintainers are told first";
    issue.reference = kEmbargoReference;
    issue.versions = "this kernel or others";
    issue.embargoed = true;
}

// The whole of `text`; "#" is a number.
bool is_like(std::string_view pattern, std::string_view text) {
    while (!pattern.empty()) {
        if (text.empty()) return false;
        if (pattern.front() == '#') {
            size_t digits = 0;
            while (digits < text.size() &&
                   std::isdigit(static_cast<unsigned char>(text[digits])) != 0)
                ++digits;
            if (digits == 0) return false;
            text.remove_prefix(digits);
        } else if (pattern.front() == text.front()) {
            text.remove_prefix(1);
        } else {
            return false;
        }
        pattern.remove_prefix(1);
    }
    return text.empty();
}

// `name` is a name, or ends in '*'.
bool names(std::span<const std::string_view> tests, std::string_view test) {
    return std::ranges::any_of(tests, [test](std::string_view name) {
        if (!name.ends_with('*')) return name == test;
        return test.starts_with(name.substr(0, name.size() - 1));
    });
}

template <typename T>
bool equal(const std::optional<T>& wanted, const std::optional<T>& seen) {
    return !wanted || wanted == seen;
}

bool at_least(const std::optional<int64_t>& wanted, const std::optional<int64_t>& seen) {
    return !wanted || (seen && *seen >= *wanted);
}

bool at_most(const std::optional<int64_t>& wanted, const std::optional<int64_t>& seen) {
    return !wanted || (seen && *seen <= *wanted);
}

}  // namespace

Release numbers_of(std::string_view release) {
    Release numbers{};
    const char* at = release.data();
    const char* const end = at + release.size();
    for (unsigned& number : numbers) {
        at = std::from_chars(at, end, number).ptr;
        if (at == end || *at != '.') break;
        ++at;
    }
    return numbers;
}

std::vector<KnownIssue> known_issues_of(std::span<const Finding> findings) {
    std::vector<KnownIssue> issues;
    for (const Finding& finding : findings)
        for (const Rule& rule : finding.rules) {
            issues.push_back({
                .id = either(rule.id, finding.id),
                .sentence = either(rule.happens, finding.happens),
                .reference = reference_of(finding),
                .versions = either(rule.seen_on, finding.seen_on),
                .since = finding.since,
                .fixed_in = rule.fixed_in.empty() ? finding.fixed_in : rule.fixed_in,
                .rule = rule,
            });
            if (finding.embargoed) withhold(issues.back());
        }
    return issues;
}

std::span<const KnownIssue> known_issues() {
    static const std::vector<KnownIssue> all = known_issues_of(findings());
    return all;
}

bool is_fixed(std::span<const std::string_view> fixed_in, std::string_view release) {
    if (fixed_in.empty()) return false;
    const Release asked = numbers_of(release);
    for (const std::string_view first : fixed_in)
        if (branch_of(numbers_of(first)) == branch_of(asked)) return numbers_of(first) <= asked;
    return branch_of(numbers_of(fixed_in.back())) < branch_of(asked);
}

std::vector<KnownIssue> issues_in(std::span<const KnownIssue> issues, std::string_view release,
                                  std::string_view target) {
    std::vector<KnownIssue> there;
    for (const KnownIssue& issue : issues) {
        const bool begun = issue.since.empty() || numbers_of(issue.since) <= numbers_of(release);
        const bool possible = issue.rule.never_on.empty() || issue.rule.never_on != target;
        if (begun && possible && !is_fixed(issue.fixed_in, release)) there.push_back(issue);
    }
    return there;
}

bool matches(const Symptom& symptom, const ComplaintFacts& facts) {
    const bool function =
        symptom.function.empty() ||
        std::ranges::find(facts.functions, symptom.function) != facts.functions.end();
    return symptom.kind == facts.kind &&
           (symptom.subject.empty() || is_like(symptom.subject, facts.subject)) && function &&
           equal(symptom.seen, facts.seen) && equal(symptom.promised, facts.promised) &&
           equal(symptom.received, facts.received) && equal(symptom.sent, facts.sent) &&
           at_least(symptom.posted_at_least, facts.posted) &&
           at_most(symptom.posted_at_most, facts.posted) &&
           at_least(symptom.posted_when_polled_at_least, facts.posted_when_polled) &&
           at_least(symptom.in_flight_at_least, facts.in_flight) &&
           at_least(symptom.not_replaced_at_least, facts.not_replaced) &&
           at_least(symptom.free_at_least, facts.free()) &&
           at_least(symptom.not_left_at_least, facts.not_left) &&
           equal(symptom.length, facts.length) && equal(symptom.data_waits, facts.data_waits) &&
           (symptom.socket.empty() || symptom.socket == facts.socket);
}

bool shows(const KnownIssue& issue, std::string_view test) {
    return names(issue.rule.tests, test);
}

const KnownIssue* explain(std::span<const KnownIssue> issues, std::string_view test, bool ended,
                          std::span<const ComplaintFacts> complaints) {
    if (complaints.empty()) return nullptr;
    for (const KnownIssue& issue : issues) {
        const Rule& rule = issue.rule;
        const auto has_symptom = [&rule](const ComplaintFacts& facts) {
            return matches(rule.symptom, facts);
        };
        const auto belongs = [&](const ComplaintFacts& facts) {
            return has_symptom(facts) ||
                   std::ranges::any_of(rule.consequences, [&facts](const Symptom& symptom) {
                       return matches(symptom, facts);
                   });
        };
        if ((shows(issue, test) || (!ended && names(rule.blocks, test))) &&
            std::ranges::any_of(complaints, has_symptom) &&
            std::ranges::all_of(complaints, belongs))
            return &issue;
    }
    return nullptr;
}

std::vector<const KnownIssue*> due(std::span<const KnownIssue> issues, std::string_view test,
                                   std::string_view target) {
    std::vector<const KnownIssue*> found;
    if (target.empty()) return found;
    for (const KnownIssue& issue : issues)
        if (issue.rule.by_chance.empty() && shows(issue, test) &&
            (issue.rule.target.empty() || issue.rule.target == target))
            found.push_back(&issue);
    return found;
}

}  // namespace zcrxlab
