// Wraps what mutants change into expressions that ask for their number, from the outermost inwards.
#include "kernels/mutations/switched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "harness/base/kernel_parameters.hpp"
#include "kernels/c_source/tokens.hpp"
#include "kernels/mutations/body.hpp"

namespace zcrxlab {
namespace {

// Bytes of the source.
struct Range {
    size_t begin = 0, end = 0;
};

struct Piece {
    Range range;
    size_t number;  // that switches it on
    const Mutant* mutant;
    Range mark;  // of an operator
};

// From loosest to tightest; C11, 6.5.5 to 6.5.16.
constexpr std::array<std::pair<std::string_view, int>, 29> kPrecedences = {{
    {"=", 1},   {"+=", 1},  {"-=", 1},  {"*=", 1}, {"/=", 1}, {"%=", 1}, {"&=", 1}, {"|=", 1},
    {"^=", 1},  {"<<=", 1}, {">>=", 1}, {"?", 2},  {":", 2},  {"||", 3}, {"&&", 4}, {"|", 5},
    {"^", 6},   {"&", 7},   {"==", 8},  {"!=", 8}, {"<", 9},  {">", 9},  {"<=", 9}, {">=", 9},
    {"<<", 10}, {">>", 10}, {"+", 11},  {"-", 11}, {"*", 12},
}};
constexpr int kAssignment = 1;

// Of the names of its parameters and the number of bits. core_param() puts a parameter below
// "kernel", whatever the file's name, and core_param_cb() does not (include/linux/moduleparam.h).
constexpr std::string_view kBefore = R"(#include <linux/bitmap.h>
#include <linux/moduleparam.h>
static int mutant;
core_param({0}, mutant, int, 0644);
static DECLARE_BITMAP(mutants_reached, {2});
static int tell_reached(char *text, const struct kernel_param *unused)
{{
	return scnprintf(text, PAGE_SIZE, "%*pb\n", {2}, mutants_reached);
}}
static int forget_reached(const char *unused, const struct kernel_param *nor_this)
{{
	bitmap_zero(mutants_reached, {2});
	return 0;
}}
static const struct kernel_param_ops reached_ops = {{
	.set = forget_reached,
	.get = tell_reached,
}};
__module_param_call("", {1}, &reached_ops, NULL, 0644, -1, 0);
static bool zcrxlab_mutant(int number)
{{
	if (!test_bit(number, mutants_reached))
		set_bit(number, mutants_reached);
	return READ_ONCE(mutant) == number;
}}
)";

// The operands of operators, by their precedence.
class Operands {
  public:
    explicit Operands(std::string_view source) : source_(source), tokens_(c_tokens(source)) {}

    // From the first byte of the left operand of the operator at `mark` to the last of the right,
    // in the statement that begins at `statement`.
    Range around(Range mark, size_t statement) const {
        const auto found = std::ranges::lower_bound(
            tokens_, mark.begin, {}, [&](const CToken& token) { return offset_of(token); });
        const auto at = static_cast<size_t>(found - tokens_.begin());
        const int precedence = precedence_of(at);
        size_t first = at, last = at;
        // What is on the left of an operator binds as tightly as it does, or tighter.
        while (offset_of(tokens_[first]) > statement && !ends_on_the_left(first - 1, precedence))
            first = before(first - 1);
        while (last + 1 < tokens_.size() && !ends_on_the_right(last + 1, precedence))
            last = behind(last + 1);
        return {offset_of(tokens_[first]), offset_of(tokens_[last]) + tokens_[last].text.size()};
    }

  private:
    // 0 if it is no operator of two operands.
    int precedence_of(size_t at) const {
        if (at == 0 || !ends_operand(tokens_[at - 1])) return 0;
        const auto found = std::ranges::find(kPrecedences, tokens_[at].text,
                                             &std::pair<std::string_view, int>::first);
        return found == kPrecedences.end() ? 0 : found->second;
    }
    static bool ends_anyway(const CToken& token) {
        return token.is(",") || token.is(";") || token.is("{") || token.is("}") ||
               token.is("return") || token.is("case");
    }
    bool ends_on_the_left(size_t at, int precedence) const {
        const CToken& token = tokens_[at];
        if (ends_anyway(token) || token.is("(") || token.is("[")) return true;
        const int other = precedence_of(at);
        return other != 0 && (other < precedence || other == kAssignment);
    }
    bool ends_on_the_right(size_t at, int precedence) const {
        const CToken& token = tokens_[at];
        if (ends_anyway(token) || token.is(")") || token.is("]")) return true;
        const int other = precedence_of(at);
        return other != 0 && other <= precedence && precedence != kAssignment;
    }
    // The token, or what opens the brackets that it closes; and the other way round.
    size_t before(size_t at) const {
        size_t depth = 0;
        for (size_t i = at;; --i) {
            if (tokens_[i].is(")") || tokens_[i].is("]")) ++depth;
            if (tokens_[i].is("(") || tokens_[i].is("[")) --depth;
            if (depth == 0 || i == 0) return i;
        }
    }
    size_t behind(size_t at) const {
        size_t depth = 0;
        for (size_t i = at;; ++i) {
            if (tokens_[i].is("(") || tokens_[i].is("[")) ++depth;
            if (tokens_[i].is(")") || tokens_[i].is("]")) --depth;
            if (depth == 0 || i + 1 == tokens_.size()) return i;
        }
    }
    size_t offset_of(const CToken& token) const {
        return static_cast<size_t>(token.text.data() - source_.data());
    }

    std::string_view source_;
    std::vector<CToken> tokens_;
};

bool is_of_operator(Mistake mistake) {
    return mistake == Mistake::kComparison || mistake == Mistake::kLogic ||
           mistake == Mistake::kArithmetic;
}

// Where the parentheses of "if (...)" stay, whatever is inside.
bool is_condition(Mistake mistake) {
    return mistake == Mistake::kConditionAlways || mistake == Mistake::kConditionNever;
}

// "a" of "a = b", and "a.b" of "a.b = c"; empty for what is set through a pointer or an index, and
// for "a += b".
std::string_view variable_set_by(std::string_view assignment) {
    const size_t end =
        std::min(assignment.find_first_not_of(
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."),
                 assignment.size());
    return assignment.substr(end).starts_with(" = ") ? assignment.substr(0, end)
                                                     : std::string_view{};
}

class Writer {
  public:
    Writer(std::string_view source, std::span<const Mutant> mutants,
           const std::set<size_t>& without)
        : source_(source) {
        const Operands operands(source);
        for (size_t i = 0; i < mutants.size(); ++i) {
            const Mutant& mutant = mutants[i];
            if (without.contains(i) || !can_be_switched(mutant, source)) continue;
            const Range changed{mutant.begin, mutant.end};
            const bool two = is_of_operator(mutant.mistake);
            pieces_.push_back({two ? operands.around(changed, mutant.statement) : changed, i + 1,
                               &mutant, changed});
        }
        // Outer ones first; a condition is outside of an operator with the same bytes.
        std::ranges::stable_sort(pieces_, [](const Piece& a, const Piece& b) {
            if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
            if (a.range.end != b.range.end) return a.range.end > b.range.end;
            return is_condition(a.mutant->mistake) && !is_condition(b.mutant->mistake);
        });
    }

    std::string write() const { return written({0, source_.size()}, size_t{0}); }

  private:
    // The bytes of `range`, with the pieces in it, of those from `first` on.
    std::string written(Range range, size_t first) const {
        std::string text;
        size_t at = range.begin;
        for (size_t i = first; i < pieces_.size() && pieces_[i].range.begin < range.end; ++i) {
            const Piece& piece = pieces_[i];
            if (piece.range.begin < at || piece.range.end > range.end) continue;
            text += source_.substr(at, piece.range.begin - at);
            text += choice(piece, i + 1);
            at = piece.range.end;
        }
        text += source_.substr(at, range.end - at);
        return text;
    }

    // With the pieces inside of it, which are those from `first` on.
    std::string choice(const Piece& piece, size_t first) const {
        const std::string on = fmt::format("zcrxlab_mutant({})", piece.number);
        const Mistake mistake = piece.mutant->mistake;
        if (is_of_operator(mistake)) {
            const std::string left = written({piece.range.begin, piece.mark.begin}, first);
            const std::string right = written({piece.mark.end, piece.range.end}, first);
            return fmt::format("({} ? ({}{}{}) : ({}{}{}))", on, on_one_line(left),
                               piece.mutant->replacement, on_one_line(right), left,
                               source_.substr(piece.mark.begin, piece.mark.end - piece.mark.begin),
                               right);
        }
        const std::string inside = written(piece.range, first);
        switch (mistake) {
            case Mistake::kConditionAlways:
                return fmt::format("(({}) || {})", inside, on);
            case Mistake::kConditionNever:
                return fmt::format("(({}) && !{})", inside, on);
            case Mistake::kOffByOne:
                return fmt::format("({} + {})", inside, on);
            case Mistake::kErrorIsSuccess:
            case Mistake::kFlagMissing:
                return fmt::format("({} ? 0 : {})", on, inside);
            case Mistake::kAssignmentLeftOut:
                // Of a variable that nothing else sets, a compiler would take the only value there
                // is.
                if (const auto variable = variable_set_by(inside); !variable.empty())
                    return fmt::format(
                        R"(do {{ if (!{}) {}; else __asm__ volatile("" : "+m"({})); }} while (0))",
                        on, inside, variable);
                [[fallthrough]];
            default:
                return fmt::format("do {{ if (!{}) {}; }} while (0)", on, inside);
        }
    }

    // Newlines stand in the other copy of the operands.
    static std::string on_one_line(std::string text) {
        std::ranges::replace(text, '\n', ' ');
        return text;
    }

    std::string_view source_;
    std::vector<Piece> pieces_;
};

// Behind the last line that includes something; the number of the next one.
std::pair<size_t, size_t> behind_includes(std::string_view source) {
    size_t at = 0, line = 1, behind = 0, number = 1;
    while (at < source.size()) {
        const size_t end = std::min(source.find('\n', at), source.size() - 1) + 1;
        ++line;
        if (source.substr(at).starts_with("#include")) {
            behind = end;
            number = line;
        }
        at = end;
    }
    return {behind, number};
}

}  // namespace

bool can_be_switched(const Mutant& mutant, std::string_view source) {
    const std::string_view changed = source.substr(mutant.begin, mutant.end - mutant.begin);
    return !changed.starts_with("guard(") && !changed.starts_with("CLASS(");
}

std::string switch_parameter(std::string_view name) {
    return "mutant_" + std::string(name);
}

std::string reached_parameter(std::string_view name) {
    return kReachedParameter + std::string(name);
}

std::string switched(std::string_view source, std::span<const Mutant> mutants,
                     const std::set<size_t>& without, std::string_view name) {
    const auto [behind, line] = behind_includes(source);
    // Nothing is changed in front of a function, so that the start stays as it is.
    const std::string all = Writer(source, mutants, without).write();
    const std::string before =
        fmt::format(kBefore, switch_parameter(name), reached_parameter(name), mutants.size() + 1);
    return fmt::format("{}{}#line {}\n{}", all.substr(0, behind), before, line, all.substr(behind));
}

}  // namespace zcrxlab
