// Goes over the statements of each function, and over the tokens of each statement.
#include "kernels/mutations/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <random>

#include "harness/base/lines.hpp"
#include "kernels/c_source/functions.hpp"
#include "kernels/mutations/body.hpp"

namespace zcrxlab {
namespace {

using Tokens = std::span<const CToken>;

constexpr std::array<std::string_view, 11> kNames = {
    "call-left-out", "lock-left-out", "assignment-left-out", "condition-always", "condition-never",
    "comparison",    "logic",         "arithmetic",          "off-by-one",       "error-is-success",
    "flag-missing"};
static_assert(kNames.size() == static_cast<size_t>(Mistake::kFlagMissing) + 1);

struct Exchange {
    std::string_view mark, other;
    Mistake mistake;
};
constexpr std::array<Exchange, 14> kExchanges = {{
    {"<", "<=", Mistake::kComparison},
    {"<=", "<", Mistake::kComparison},
    {">", ">=", Mistake::kComparison},
    {">=", ">", Mistake::kComparison},
    {"==", "!=", Mistake::kComparison},
    {"!=", "==", Mistake::kComparison},
    {"&&", "||", Mistake::kLogic},
    {"||", "&&", Mistake::kLogic},
    {"+", "-", Mistake::kArithmetic},
    {"-", "+", Mistake::kArithmetic},
    {"<<", ">>", Mistake::kArithmetic},
    {">>", "<<", Mistake::kArithmetic},
    {"+=", "-=", Mistake::kArithmetic},
    {"-=", "+=", Mistake::kArithmetic},
}};

// Parts of the names of functions that take or leave a lock or a reference.
constexpr std::array<std::string_view, 7> kOfLocks = {"lock", "guard", "get", "put",
                                                      "ref",  "inc",   "dec"};

bool is_capital(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_errno(const CToken& token) {
    return token.kind == CTokenKind::kWord && token.text.size() > 2 && token.text[0] == 'E' &&
           std::ranges::all_of(token.text, is_capital);
}
bool is_constant(const CToken& token) {
    return token.kind == CTokenKind::kWord && token.text.size() > 2 &&
           std::ranges::all_of(token.text, is_capital);
}
bool compares(const CToken& token) {
    return token.is("==") || token.is("!=") || token.is("<") || token.is(">") || token.is("<=") ||
           token.is(">=");
}

class Finder {
  public:
    explicit Finder(std::string_view source) : source_(source), tokens_(c_tokens(source)) {}

    std::vector<Mutant> find() {
        for (const SourceFunction& function : functions_of(source_)) find_in(function);
        std::ranges::stable_sort(found_, {}, &Mutant::begin);
        give_names();
        return std::move(found_);
    }

  private:
    void find_in(const SourceFunction& function) {
        function_ = function.name;
        const auto line_of = [](const CToken& token) { return token.line; };
        const auto first = std::ranges::lower_bound(tokens_, function.first_line, {}, line_of);
        const auto last = std::ranges::upper_bound(tokens_, function.last_line, {}, line_of);
        const Tokens all(first, last);
        const auto open = std::ranges::find_if(all, [](const CToken& t) { return t.is("{"); });
        const auto begin = static_cast<size_t>(open - all.begin());
        const size_t end = closing(all, begin);
        if (end >= all.size()) return;
        body_ = all.subspan(begin + 1, end - begin - 1);
        for (const Statement& statement : statements_of(body_)) find_in(statement);
    }

    void find_in(const Statement& statement) {
        statement_ = offset_of(body_[statement.begin]);
        switch (statement.kind) {
            case StatementKind::kCall:
                leave_out(statement,
                          is_of_locks(statement) ? Mistake::kLockLeftOut : Mistake::kCallLeftOut);
                break;
            case StatementKind::kAssignment:
                leave_out(statement, Mistake::kAssignmentLeftOut);
                break;
            case StatementKind::kIf:
                decide(statement, Mistake::kConditionAlways, " || 1");
                [[fallthrough]];
            case StatementKind::kLoop:
                decide(statement, Mistake::kConditionNever, " && 0");
                break;
            case StatementKind::kHead:
                return;  // of a macro, whose parameters may be names
            case StatementKind::kDeclaration:
            case StatementKind::kReturn:
            case StatementKind::kOther:
                break;
        }
        size_t at = statement.begin;
        if (statement.kind == StatementKind::kDeclaration)
            while (at < statement.end && !body_[at].is("=")) ++at;
        const size_t begin = at;
        for (; at < statement.end; ++at) change(at, at > begin ? &body_[at - 1] : nullptr);
    }

    void change(size_t at, const CToken* before) {
        const CToken& token = body_[at];
        const CToken* behind = at + 1 < body_.size() ? &body_[at + 1] : nullptr;
        if (token.kind == CTokenKind::kNumber)
            return add(Mistake::kOffByOne, at, at + 1, fmt::format("({} + 1)", token.text));
        if (token.is("-") && behind != nullptr && is_errno(*behind)) {
            if (before == nullptr || !compares(*before))
                add(Mistake::kErrorIsSuccess, at, at + 2, "0");
            return;
        }
        const auto is = [](const CToken* one, std::string_view text) {
            return one != nullptr && one->is(text);
        };
        if (is_constant(token) && !is(behind, "(") &&
            (is(before, "|") || is(before, "|=") || is(behind, "|")))
            return add(Mistake::kFlagMissing, at, at + 1, "0");
        if (token.kind != CTokenKind::kMark || before == nullptr || !ends_operand(*before)) return;
        const auto exchange = std::ranges::find(kExchanges, token.text, &Exchange::mark);
        if (exchange != kExchanges.end())
            add(exchange->mistake, at, at + 1, std::string(exchange->other));
    }

    void leave_out(const Statement& statement, Mistake mistake) {
        add(mistake, statement.begin, statement.end, "");
    }

    void decide(const Statement& statement, Mistake mistake, std::string_view how) {
        const size_t begin = offset_of(body_[statement.begin]);
        const CToken& last = body_[statement.end - 1];
        const size_t end = offset_of(last) + last.text.size();
        add(mistake, statement.begin, statement.end,
            fmt::format("({}){}", source_.substr(begin, end - begin), how));
    }

    bool is_of_locks(const Statement& statement) const {
        const auto called = std::find_if(body_.begin() + static_cast<ptrdiff_t>(statement.begin),
                                         body_.end(), [](const CToken& t) { return t.is("("); });
        if (called == body_.begin() || called == body_.end()) return false;
        return std::ranges::any_of(kOfLocks, [&](std::string_view part) {
            return (called - 1)->text.find(part) != std::string_view::npos;
        });
    }

    // In place of the tokens from `begin` to before `end`.
    void add(Mistake mistake, size_t begin, size_t end, std::string replacement) {
        Mutant mutant;
        mutant.function = function_;
        mutant.line = body_[begin].line;
        mutant.mistake = mistake;
        mutant.statement = statement_;
        mutant.begin = offset_of(body_[begin]);
        mutant.end = offset_of(body_[end - 1]) + body_[end - 1].text.size();
        const std::string_view replaced = source_.substr(mutant.begin, mutant.end - mutant.begin);
        // So that no line behind it moves, and messages that name lines stay as they are.
        const auto lines =
            std::ranges::count(replaced, '\n') - std::ranges::count(replacement, '\n');
        replacement.append(static_cast<size_t>(std::max<ptrdiff_t>(lines, 0)), '\n');
        mutant.replacement = std::move(replacement);
        found_.push_back(std::move(mutant));
    }

    void give_names() {
        std::map<std::string, unsigned> seen;
        for (Mutant& mutant : found_) {
            std::string name =
                fmt::format("{}-{}-{}", mutant.function, mutant.line, name_of(mutant.mistake));
            const unsigned number = ++seen[name];
            if (number > 1) name += fmt::format("-{}", number);
            mutant.name = std::move(name);
        }
    }

    size_t offset_of(const CToken& token) const {
        return static_cast<size_t>(token.text.data() - source_.data());
    }

    std::string_view source_;
    std::vector<CToken> tokens_;
    std::string function_;
    Tokens body_;
    size_t statement_ = 0;
    std::vector<Mutant> found_;
};

// Without what is at its ends, and with one blank for any number inside.
std::string on_one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        if (!blank)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    return line;
}

// The lines of `text` that have bytes from `begin` to `end`, as offsets.
std::pair<size_t, size_t> whole_lines(std::string_view text, size_t begin, size_t end) {
    const size_t before = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    const size_t behind = text.find('\n', end);
    return {before == std::string_view::npos ? 0 : before + 1,
            behind == std::string_view::npos ? text.size() : behind};
}

}  // namespace

std::string_view name_of(Mistake mistake) {
    return kNames.at(static_cast<size_t>(mistake));
}

std::optional<Mistake> mistake_from_name(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) return std::nullopt;
    return static_cast<Mistake>(found - kNames.begin());
}

std::vector<Mutant> mutants_of(std::string_view source) {
    return Finder(source).find();
}

std::vector<Mutant> sample_of(std::vector<Mutant> mutants, size_t count, uint64_t seed) {
    std::mt19937_64 lot(seed);
    // Not std::shuffle, whose order differs between libraries.
    for (size_t drawn = 0; drawn < std::min(count, mutants.size()); ++drawn)
        std::swap(mutants[drawn], mutants[drawn + lot() % (mutants.size() - drawn)]);
    if (count < mutants.size()) mutants.resize(count);
    std::ranges::sort(mutants, {}, [](const Mutant& m) { return std::pair(m.begin, m.name); });
    return mutants;
}

std::string mutated(std::string_view source, const Mutant& mutant) {
    std::string text(source.substr(0, mutant.begin));
    text += mutant.replacement;
    text += source.substr(mutant.end);
    return text;
}

std::string changed_line(const Mutant& mutant, std::string_view source) {
    const auto [begin, end] = whole_lines(source, mutant.begin, mutant.end);
    return on_one_line(source.substr(begin, end - begin));
}

std::string describe(const Mutant& mutant, std::string_view source, std::string_view path) {
    const auto [begin, end] = whole_lines(source, mutant.begin, mutant.end);
    const std::string is =
        on_one_line(std::string(source.substr(begin, mutant.begin - begin)) + mutant.replacement +
                    std::string(source.substr(mutant.end, end - mutant.end)));
    return fmt::format("{}:{}: {} in {}: \"{}\" becomes \"{}\"", path, mutant.line,
                       name_of(mutant.mistake), mutant.function, changed_line(mutant, source), is);
}

std::string patch_of(const Mutant& mutant, std::string_view source, std::string_view path) {
    constexpr size_t kContext = 3;
    const std::string changed = mutated(source, mutant);
    const auto [begin, end] = whole_lines(source, mutant.begin, mutant.end);
    const std::vector<std::string_view> before = lines_of(source), behind = lines_of(changed);
    const auto first = static_cast<size_t>(std::ranges::count(source.substr(0, begin), '\n'));
    const auto count =
        static_cast<size_t>(std::ranges::count(source.substr(begin, end - begin), '\n')) + 1;
    const size_t from = first - std::min(first, kContext);
    const size_t to = std::min(first + count + kContext, before.size());
    std::string text = fmt::format(
        "# SPDX-License-Identifier: GPL-2.0\n{}\n\n--- a/{}\n+++ b/{}\n"
        "@@ -{},{} +{},{} @@\n",
        describe(mutant, source, path), path, path, from + 1, to - from, from + 1, to - from);
    const auto add = [&text](char how, std::string_view line) {
        text += how;
        text += line;
        text += '\n';
    };
    for (size_t i = from; i < first; ++i) add(' ', before[i]);
    for (size_t i = first; i < first + count; ++i) add('-', before[i]);
    for (size_t i = first; i < first + count; ++i) add('+', behind[i]);
    for (size_t i = first + count; i < to; ++i) add(' ', before[i]);
    return text;
}

}  // namespace zcrxlab
