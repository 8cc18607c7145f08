// Finds what tells of an embargoed finding, and says so little of it as may be said.
#include "scenarios/known_issues/embargo.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace zcrxlab {
namespace {

bool is_of_a_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Calls `take` with each word of a name's characters, until it returns true.
template <typename Take>
bool any_word(std::string_view text, const Take& take) {
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && is_of_a_word(text[end])) ++end;
        if (end > at && take(text.substr(at, end - at), end)) return true;
        at = std::max(end, at + 1);
    }
    return false;
}

bool has_word(std::string_view text, std::string_view word) {
    return any_word(text, [word](std::string_view each, size_t) { return each == word; });
}

// "tcp_urg" of "net/ipv4/tcp_input.c:tcp_urg": a name with an underscore that is no file's.
std::vector<std::string_view> functions_in(std::string_view source) {
    std::vector<std::string_view> functions;
    any_word(source, [&](std::string_view word, size_t end) {
        const bool file = end < source.size() && (source[end] == '.' || source[end] == '/');
        if (!file && word.find('_') != word.npos) functions.push_back(word);
        return false;
    });
    return functions;
}

bool is_among(std::span<const std::string> names, std::string_view test) {
    return std::ranges::any_of(names, [test](std::string_view name) {
        return name.ends_with('*') ? test.starts_with(name.substr(0, name.size() - 1))
                                   : test == name;
    });
}

}  // namespace

std::string embargo_notice() {
    return "This is an embargoed finding: somebody could do harm with it, so maintainers are told "
           "first. How it is reported: " +
           std::string(kEmbargoReference) + ".";
}

bool tells_of_embargoed(std::span<const Finding> findings, std::string_view text) {
    return std::ranges::any_of(findings, [text](const Finding& finding) {
        if (!finding.embargoed) return false;
        const std::vector<std::string_view> functions = functions_in(finding.source);
        return !functions.empty() &&
               std::ranges::all_of(functions, [text](std::string_view function) {
                   return has_word(text, function);
               });
    });
}

bool is_embargoed(std::span<const Finding> findings, const TestResult& result) {
    if (result.reference == kEmbargoReference) return true;
    if (result.status != TestStatus::kLost || result.reached == Reached::kNothing) return false;
    return is_among(embargoed_scenarios(findings), result.name) ||
           tells_of_embargoed(findings, result.message);
}

RunSummary fit_to_pass_on(std::span<const Finding> findings, RunSummary run) {
    const bool tells = tells_of_embargoed(findings, run.console) ||
                       tells_of_embargoed(findings, run.ending_message) ||
                       std::ranges::any_of(run.tests, [findings](const TestResult& test) {
                           return test.status == TestStatus::kLost && is_embargoed(findings, test);
                       });
    if (!tells) return run;
    run.console.clear();
    if (!run.ending_message.empty())
        run.ending_message = "The guest did not come to its end. " + embargo_notice();
    for (TestResult& test : run.tests) {
        if (test.status != TestStatus::kLost || test.reached == Reached::kNothing) continue;
        test.message = embargo_notice() + " What the scenario met is in the logs of this run only.";
        test.trace.clear();
    }
    return run;
}

}  // namespace zcrxlab
