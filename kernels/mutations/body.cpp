// Reads a body from its start to its end: what begins a statement says what it is.
#include "kernels/mutations/body.hpp"

#include <algorithm>
#include <array>

namespace zcrxlab {
namespace {

using Tokens = std::span<const CToken>;

constexpr std::array<std::string_view, 20> kTypeWords = {
    "struct", "union", "enum", "const", "static", "unsigned", "signed", "int", "long", "short",
    "char",   "bool",  "void", "u8",    "u16",    "u32",      "u64",    "s32", "s64",  "size_t"};
constexpr std::array<std::string_view, 11> kAssignments = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

template <size_t N>
bool is_one_of(const CToken& token, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, token.text) != words.end();
}

bool opens(const CToken& token) {
    return token.is("(") || token.is("[") || token.is("{");
}
bool closes(const CToken& token) {
    return token.is(")") || token.is("]") || token.is("}");
}

// The first of `tokens` from `begin` that `wanted` takes and no bracket encloses, or `end`.
template <typename Wanted>
size_t find_outside(Tokens tokens, size_t begin, size_t end, Wanted wanted) {
    size_t depth = 0;
    for (size_t i = begin; i < end; ++i) {
        if (depth == 0 && wanted(tokens[i])) return i;
        if (opens(tokens[i])) ++depth;
        if (closes(tokens[i])) {
            if (depth == 0) return end;
            --depth;
        }
    }
    return end;
}

class BodyReader {
  public:
    explicit BodyReader(Tokens tokens) : tokens_(tokens) {}

    std::vector<Statement> read() {
        while (at_ < tokens_.size()) step();
        return std::move(statements_);
    }

  private:
    bool is(size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].is(text);
    }

    void step() {
        const CToken& token = tokens_[at_];
        const bool begins_expression =
            token.is("*") || token.is("(") || token.is("++") || token.is("--");
        if ((token.kind == CTokenKind::kMark && !begins_expression) || token.is("else") ||
            token.is("do")) {
            ++at_;  // also ";", and the braces of a block
        } else if (token.is("case") || token.is("default")) {
            at_ = find(at_, ":") + 1;
        } else if (token.kind == CTokenKind::kWord && is(at_ + 1, ":")) {
            at_ += 2;  // a label
        } else if (token.is("if") || token.is("while") || token.is("for") || is_head()) {
            head();
        } else {
            simple();
        }
    }

    size_t find(size_t from, std::string_view text) const {
        return find_outside(tokens_, from, tokens_.size(),
                            [&](const CToken& token) { return token.is(text); });
    }

    // A word and parentheses, and behind them what no expression goes on with: a macro that loops.
    bool is_head() const {
        if (tokens_[at_].kind != CTokenKind::kWord || !is(at_ + 1, "(")) return false;
        if (tokens_[at_].is("return")) return false;  // a cast
        const size_t close = closing(tokens_, at_ + 1);
        return close + 1 < tokens_.size() &&
               (tokens_[close + 1].kind == CTokenKind::kWord || tokens_[close + 1].is("{"));
    }

    void head() {
        const CToken& word = tokens_[at_];
        if (!is(at_ + 1, "(")) return void(++at_);
        const size_t begin = at_ + 2;
        const size_t end = std::min(closing(tokens_, at_ + 1), tokens_.size());
        at_ = std::min(end + 1, tokens_.size());
        if (word.is("if")) return add(StatementKind::kIf, begin, end);
        if (word.is("while")) return add(StatementKind::kLoop, begin, end);
        if (!word.is("for")) return add(StatementKind::kHead, begin, end);
        const auto semicolon = [](const CToken& token) { return token.is(";"); };
        const size_t first = find_outside(tokens_, begin, end, semicolon);
        if (first == end) return;
        const size_t second = find_outside(tokens_, first + 1, end, semicolon);
        add(StatementKind::kHead, begin, first);
        add(StatementKind::kLoop, first + 1, second);
    }

    void simple() {
        const size_t begin = at_;
        const size_t end = find(at_, ";");
        at_ = std::min(end + 1, tokens_.size());
        if (end == tokens_.size()) return;  // it makes no sense
        if (tokens_[begin].is("return")) return add(StatementKind::kReturn, begin + 1, end);
        if (tokens_[begin].is("goto") || tokens_[begin].is("break") ||
            tokens_[begin].is("continue"))
            return;
        add(kind_of(begin, end), begin, end);
    }

    StatementKind kind_of(size_t begin, size_t end) const {
        const size_t assigned = find_outside(tokens_, begin, end, [](const CToken& token) {
            return is_one_of(token, kAssignments);
        });
        if (is_declaration(begin, assigned)) return StatementKind::kDeclaration;
        if (assigned != end || counts(begin, end)) return StatementKind::kAssignment;
        if (is_call(begin, end)) return StatementKind::kCall;
        return StatementKind::kOther;
    }

    // Two words side by side, or a word, stars and a word, are a type and a name.
    bool is_declaration(size_t begin, size_t end) const {
        if (begin >= end || tokens_[begin].kind != CTokenKind::kWord) return false;
        if (is_one_of(tokens_[begin], kTypeWords)) return true;
        size_t next = begin + 1;
        while (next < end && tokens_[next].is("*")) ++next;
        return next < end && tokens_[next].kind == CTokenKind::kWord;
    }
    bool counts(size_t begin, size_t end) const {
        const auto is_step = [&](size_t i) { return tokens_[i].is("++") || tokens_[i].is("--"); };
        return end - begin > 1 && (is_step(begin) || is_step(end - 1));
    }
    bool is_call(size_t begin, size_t end) const {
        size_t at = begin;
        if (is(at, "(") && is(at + 1, "void")) at += 3;
        while (at < end && (tokens_[at].kind == CTokenKind::kWord || tokens_[at].is("->") ||
                            tokens_[at].is(".")))
            ++at;
        if (at == begin || !is(at, "(")) return false;
        while (at < end && tokens_[at].is("(")) at = closing(tokens_, at) + 1;
        return at == end;
    }

    void add(StatementKind kind, size_t begin, size_t end) {
        if (begin < end) statements_.push_back({kind, begin, end});
    }

    Tokens tokens_;
    size_t at_ = 0;
    std::vector<Statement> statements_;
};

}  // namespace

bool ends_operand(const CToken& token) {
    if (token.kind == CTokenKind::kMark) return token.is(")") || token.is("]");
    return !token.is("return");
}

size_t closing(Tokens tokens, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
        if (opens(tokens[i])) ++depth;
        if (closes(tokens[i]) && --depth == 0) return i;
    }
    return tokens.size();
}

std::vector<Statement> statements_of(Tokens tokens) {
    return BodyReader(tokens).read();
}

}  // namespace zcrxlab
