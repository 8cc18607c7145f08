// The words and marks of a C source, without comments, blanks and preprocessor lines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace zcrxlab {

enum class CTokenKind : uint8_t { kWord, kNumber, kText, kMark };

struct CToken {
    CTokenKind kind;
    std::string_view text;  // part of the source: the longest mark is one, "->" and "<<=" too
    uint32_t line;          // from 1

    bool is(std::string_view other) const { return text == other; }
};

// In order. Whatever is no C ends up as marks of one character.
std::vector<CToken> c_tokens(std::string_view source);

}  // namespace zcrxlab
