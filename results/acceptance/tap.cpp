// Reads the output line by line; what is no result is a diagnostic of the next one.
#include "results/acceptance/tap.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace zcrxlab {

namespace {

// Of a script that does nothing but print.
constexpr size_t kMostResults = 100'000;
constexpr size_t kMostSaid = 20'000;  // bytes of diagnostics kept for a result
// tools/testing/selftests/kselftest.h
constexpr int kPassed = 0, kFailed = 1, kSkipped = 4;

struct ForwardingWord {
    std::string_view word;
    TapOutcome outcome;
};
constexpr std::array<ForwardingWord, 5> kForwardingWords{{{"[ OK ]", TapOutcome::kOk},
                                                          {"[FAIL]", TapOutcome::kNotOk},
                                                          {"[SKIP]", TapOutcome::kSkip},
                                                          {"[XFAIL]", TapOutcome::kSkip},
                                                          {"[XPASS]", TapOutcome::kNotOk}}};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r";
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool take_word(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

std::optional<size_t> take_number(std::string_view& text) {
    size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return number;
}

std::string without_blanks(std::string_view text) {
    std::string name(trimmed(text));
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == '\t'; }, '_');
    return name;
}

// "ok 3 stats.check_fec # SKIP no FEC", without blanks in front.
std::optional<TapResult> numbered_result(std::string_view line) {
    TapResult result;
    if (take_word(line, "not ok")) {
        result.outcome = TapOutcome::kNotOk;
    } else if (!take_word(line, "ok")) {
        return std::nullopt;
    }
    if (!line.empty() && line.front() != ' ') return std::nullopt;
    line = trimmed(line);
    take_number(line);
    line = trimmed(line);
    take_word(line, "- ");
    const size_t directive = line.find("# ");
    result.test = without_blanks(line.substr(0, directive));
    if (directive == std::string_view::npos) return result;
    std::string_view why = trimmed(line.substr(directive + 2));
    const std::string_view directive_alone = why;
    if (take_word(why, "SKIP") || take_word(why, "XFAIL")) result.outcome = TapOutcome::kSkip;
    // A skip may tell no reason.
    why = trimmed(why);
    result.said = why.empty() ? directive_alone : why;
    return result;
}

// "TEST: a name                  [ OK ]"
std::optional<TapResult> forwarding_result(std::string_view line) {
    if (!take_word(line, "TEST: ")) return std::nullopt;
    for (const auto& [word, outcome] : kForwardingWords) {
        const size_t at = line.rfind(word);
        if (at == std::string_view::npos) continue;
        const std::string_view name = trimmed(line.substr(0, at));
        // "TEST: mausezahn not installed  [SKIP]" is name and reason, and so is
        // "TEST: SKIP: dev eth0 does not support ...  [ OK ]".
        const bool skip = outcome == TapOutcome::kSkip || name.starts_with("SKIP: ");
        return TapResult{without_blanks(name), skip ? TapOutcome::kSkip : outcome,
                         std::string(skip ? name : std::string_view{})};
    }
    return std::nullopt;
}

// "1..7"
std::optional<size_t> plan_in(std::string_view line) {
    if (!take_word(line, "1..")) return std::nullopt;
    return take_number(line);
}

class Reader {
  public:
    void line(std::string_view whole) {
        const size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
        const std::string_view text = trimmed(whole);
        if (indent == 0)
            if (const auto plan = plan_in(text)) planned_ = *plan;
        auto result = numbered_result(text);
        const bool numbered = result.has_value();
        if (!result) result = forwarding_result(text);
        if (!result) {
            note(text);
            return;
        }
        said_after_ = !numbered;
        if (indent > 0) {
            inner_.push_back(std::move(*result));
            inner_.back().said += said_;
            said_.clear();
            return;
        }
        ++outer_;
        result->said += (result->said.empty() ? "" : "\n") + said_;
        said_.clear();
        for (TapResult& inner : inner_) {
            inner.test = result->test + "/" + inner.test;
            add(std::move(inner));
        }
        inner_.clear();
        add(std::move(*result));
    }

    std::vector<TapResult> finish(int exit_code) {
        for (TapResult& inner : inner_) add(std::move(inner));
        const bool short_of_plan = planned_ && outer_ < *planned_;
        const bool odd_end = exit_code != kPassed && exit_code != kFailed && exit_code != kSkipped;
        // A failed exit without a failed test: what failed is not among the results.
        const bool unexplained =
            exit_code == kFailed && std::ranges::none_of(results_, [](const TapResult& result) {
                return result.outcome == TapOutcome::kNotOk;
            });
        if (!results_.empty() && !short_of_plan && !odd_end && !unexplained)
            return std::move(results_);
        TapResult whole{std::string(kWholeScript), TapOutcome::kNotOk,
                        "exit code " + std::to_string(exit_code)};
        if (short_of_plan)
            whole.said += ", " + std::to_string(outer_) + " of " + std::to_string(*planned_) +
                          " tests had a result";
        if (results_.empty() && exit_code == kPassed) whole.outcome = TapOutcome::kOk;
        // In TAP, a plan of no tests is a skip.
        if (results_.empty() && (exit_code == kSkipped || (exit_code == kPassed && planned_ == 0U)))
            whole.outcome = TapOutcome::kSkip;
        whole.said += "\n" + said_;
        add(std::move(whole));
        return std::move(results_);
    }

  private:
    void note(std::string_view text) {
        std::string& said = said_after_ && !results_.empty() ? results_.back().said : said_;
        if (said.size() < kMostSaid) said.append(text.substr(0, kMostSaid)).append("\n");
    }

    // Two of one name are told apart by a number.
    void add(TapResult result) {
        if (results_.size() >= kMostResults) return;
        const size_t same = ++called_[result.test];
        if (same > 1) result.test += "#" + std::to_string(same);
        results_.push_back(std::move(result));
    }

    std::vector<TapResult> results_, inner_;
    std::map<std::string, size_t> called_;
    std::string said_;
    bool said_after_ = false;  // net/forwarding/lib.sh says why after the result
    std::optional<size_t> planned_;
    size_t outer_ = 0;
};

}  // namespace

std::string_view name_of(TapOutcome outcome) {
    switch (outcome) {
        case TapOutcome::kOk:
            return "ok";
        case TapOutcome::kNotOk:
            return "not-ok";
        case TapOutcome::kSkip:
            break;
    }
    return "skip";
}

std::vector<TapResult> read_tap(std::string_view output, int exit_code) {
    Reader reader;
    while (!output.empty()) {
        const size_t end = std::min(output.find('\n'), output.size());
        reader.line(output.substr(0, end));
        output.remove_prefix(std::min(end + 1, output.size()));
    }
    return reader.finish(exit_code);
}

}  // namespace zcrxlab
