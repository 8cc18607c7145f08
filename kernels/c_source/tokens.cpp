// Cuts a source into tokens, from its start to its end, without looking back.
#include "kernels/c_source/tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace zcrxlab {
namespace {

// C11, 6.4.6; longer ones first.
constexpr std::array<std::string_view, 22> kLongMarks = {
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
    "!=",  "&&",  "||",  "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|="};

bool is_in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

class Cutter {
  public:
    explicit Cutter(std::string_view source) : source_(source) {}

    std::vector<CToken> cut() {
        while (at_ < source_.size()) step();
        return std::move(tokens_);
    }

  private:
    void step() {
        const char c = source_[at_];
        const std::string_view rest = source_.substr(at_);
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            if (c == '\n') line_has_tokens_ = false;
            skip(1);
        } else if (rest.starts_with("/*")) {
            const size_t end = source_.find("*/", at_ + 2);
            skip(end == std::string_view::npos ? rest.size() : end + 2 - at_);
        } else if (rest.starts_with("//") || (c == '#' && !line_has_tokens_)) {
            skip(length_of_line());
        } else if (c == '"' || c == '\'') {
            take(CTokenKind::kText, length_of_text(c));
        } else if (is_digit(c)) {
            take(CTokenKind::kNumber, length_of_word());
        } else if (is_in_word(c)) {
            take(CTokenKind::kWord, length_of_word());
        } else {
            const auto mark = std::ranges::find_if(
                kLongMarks, [&](std::string_view each) { return rest.starts_with(each); });
            take(CTokenKind::kMark, mark == kLongMarks.end() ? 1 : mark->size());
        }
    }

    // Up to the newline, and on behind one that a backslash hides.
    size_t length_of_line() const {
        size_t end = source_.find('\n', at_);
        while (end != std::string_view::npos && source_[end - 1] == '\\')
            end = source_.find('\n', end + 1);
        return (end == std::string_view::npos ? source_.size() : end) - at_;
    }
    size_t length_of_text(char quote) const {
        size_t end = at_ + 1;
        while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
            end += source_[end] == '\\' ? 2 : 1;
        return std::min(end + 1, source_.size()) - at_;
    }
    size_t length_of_word() const {
        size_t end = at_;
        while (end < source_.size() && is_in_word(source_[end])) ++end;
        return end - at_;
    }

    void take(CTokenKind kind, size_t length) {
        tokens_.push_back({kind, source_.substr(at_, length), line_});
        line_has_tokens_ = true;
        skip(length);
    }
    void skip(size_t length) {
        line_ += static_cast<uint32_t>(std::ranges::count(source_.substr(at_, length), '\n'));
        at_ += length;
    }

    std::string_view source_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    bool line_has_tokens_ = false;
    std::vector<CToken> tokens_;
};

}  // namespace

std::vector<CToken> c_tokens(std::string_view source) {
    return Cutter(source).cut();
}

}  // namespace zcrxlab
