// Reads a list of expected tests, and compares.
#include "results/acceptance/expected.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

namespace zcrxlab {

namespace {

constexpr std::array<std::string_view, 5> kWhose{"driver", "kernel", "emulation", "device",
                                                 "tools"};
constexpr std::string_view kBlanks = " \t";

std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

std::optional<std::string> take_quoted(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (!line.starts_with('"')) return std::nullopt;
    const size_t end = line.find('"', 1);
    if (end == std::string_view::npos || end == 1) return std::nullopt;
    std::string text(line.substr(1, end - 1));
    line.remove_prefix(end + 1);
    return text;
}

bool take_outcome(ExpectedTest& test, std::string_view word) {
    for (const TapOutcome outcome : {TapOutcome::kOk, TapOutcome::kNotOk, TapOutcome::kSkip}) {
        if (word != name_of(outcome)) continue;
        test.outcome = outcome;
        return true;
    }
    test.left_out = word == "left-out";
    return test.left_out;
}

std::optional<ExpectedTest> read_line(std::string_view line) {
    ExpectedTest test;
    test.script = take_word(line);
    test.test = take_word(line);
    if (test.test.empty() || !take_outcome(test, take_word(line))) return std::nullopt;
    if (test.outcome == TapOutcome::kOk && !test.left_out) {
        if (!take_word(line).empty()) return std::nullopt;
        return test;
    }
    test.whose = take_word(line);
    if (std::ranges::find(kWhose, test.whose) == kWhose.end()) return std::nullopt;
    if (!test.left_out) {
        auto symptom = take_quoted(line);
        if (!symptom) return std::nullopt;
        test.symptom = std::move(*symptom);
    }
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    test.why = line;
    if (test.why.empty()) return std::nullopt;
    return test;
}

std::string_view without_vm(std::string_view script) {
    return script.substr(0, script.find('@'));
}

// Without what stands before the first dot.
std::string name_for_script(const std::string& test) {
    const size_t dot = test.find('.');
    return dot == std::string::npos ? test : test.substr(dot + 1);
}

std::string first_line(const std::string& text) {
    const std::string line = text.substr(0, text.find('\n'));
    return line.empty() ? "" : ": " + line;
}

using Key = std::pair<std::string, std::string>;

std::string called(const Key& key) {
    return key.first + " " + key.second;
}

// A test that is left out may end with "*": all that begin so.
bool is_left_out(const std::vector<ExpectedTest>& tests, const Key& key) {
    return std::ranges::any_of(tests, [&key](const ExpectedTest& test) {
        if (!test.left_out || test.script != key.first) return false;
        const std::string_view name = test.test;
        return name == key.second ||
               (name.ends_with('*') && key.second.starts_with(name.substr(0, name.size() - 1)));
    });
}

// Why `result` is not what `test` expects; empty if it is.
std::string difference(const ExpectedTest& test, const TapResult& result) {
    if (test.outcome != result.outcome)
        return "should be " + std::string(name_of(test.outcome)) + ", and is " +
               std::string(name_of(result.outcome)) + first_line(result.said);
    if (test.outcome == TapOutcome::kOk || result.said.find(test.symptom) != std::string::npos)
        return {};
    return "is " + std::string(name_of(result.outcome)) + " as expected, but does not say \"" +
           test.symptom + "\"" + first_line(result.said);
}

}  // namespace

Result<std::vector<ExpectedTest>> read_expected(std::string_view text) {
    std::vector<ExpectedTest> tests;
    std::map<Key, size_t> lines;
    for (size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos || line[begin] == '#') continue;
        auto test = read_line(line);
        if (!test)
            return Error{EINVAL, "Line " + std::to_string(number) +
                                     " is not SCRIPT TEST ok|not-ok|skip|left-out, and of what is "
                                     "not ok WHOSE \"SYMPTOM\" WHY: " +
                                     std::string(line)};
        if (const auto [at, added] = lines.emplace(Key{test->script, test->test}, number); !added)
            return Error{EINVAL, "Lines " + std::to_string(at->second) + " and " +
                                     std::to_string(number) + " are about the same test."};
        tests.push_back(std::move(*test));
    }
    return tests;
}

std::vector<std::string> options_to_choose(const std::vector<ExpectedTest>& tests,
                                           std::string_view script) {
    const bool usual = without_vm(script) == script;
    std::vector<std::string> out, in;
    for (const ExpectedTest& test : tests) {
        if (without_vm(test.script) != without_vm(script)) continue;
        const bool here = test.script == script;
        if (test.test == kWholeScript && !(here && test.left_out)) continue;
        if (here ? test.left_out : usual) {
            out.insert(out.end(), {"-T", name_for_script(test.test)});
        } else if (here && !usual) {
            in.insert(in.end(), {"-t", name_for_script(test.test)});
        }
    }
    out.insert(out.end(), in.begin(), in.end());
    return out;
}

std::vector<std::string> runs_of(const std::vector<ExpectedTest>& tests,
                                 const std::vector<std::string>& scripts) {
    std::vector<std::string> runs;
    for (const std::string& script : scripts) {
        const size_t before = runs.size();
        for (const ExpectedTest& test : tests)
            if (without_vm(test.script) == script &&
                std::ranges::find(runs, test.script) == runs.end())
                runs.push_back(test.script);
        if (runs.size() == before) runs.push_back(script);
    }
    return runs;
}

std::vector<ExpectedTest> of_scripts(const std::vector<ExpectedTest>& tests,
                                     const std::vector<std::string>& scripts) {
    std::vector<ExpectedTest> chosen;
    for (const ExpectedTest& test : tests)
        if (std::ranges::find(scripts, test.script) != scripts.end()) chosen.push_back(test);
    return chosen;
}

std::vector<std::string> differences(const std::vector<ExpectedTest>& expected,
                                     const std::vector<ScriptResults>& found) {
    std::map<Key, const TapResult*> there;
    for (const ScriptResults& script : found)
        for (const TapResult& result : script.results)
            there.emplace(Key{script.script, result.test}, &result);
    std::vector<std::string> said;
    for (const ExpectedTest& test : expected) {
        if (test.left_out) continue;
        const auto at = there.find({test.script, test.test});
        if (at == there.end()) {
            said.push_back(test.script + " " + test.test + " has no result.");
            continue;
        }
        if (const std::string unlike = difference(test, *at->second); !unlike.empty())
            said.push_back(called(at->first) + " " + unlike + ".");
        there.erase(at);
    }
    for (const auto& [key, result] : there)
        said.push_back(called(key) +
                       (is_left_out(expected, key) ? " was to be left out, and is "
                                                   : " is expected by nobody, and is ") +
                       std::string(name_of(result->outcome)) + first_line(result->said) + ".");
    return said;
}

}  // namespace zcrxlab
