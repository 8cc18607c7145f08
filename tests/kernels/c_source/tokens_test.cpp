// Tokens of C: the longest mark is one, and what is no code is none.
#include "kernels/c_source/tokens.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

std::string joined(std::string_view source) {
    std::string text;
    for (const CToken& token : c_tokens(source)) {
        if (!text.empty()) text += ' ';
        text += token.text;
    }
    return text;
}

TEST(CTokens, TheLongestMarkIsOne) {
    EXPECT_EQ(joined("a->b<<=1|c||d;"), "a -> b <<= 1 | c || d ;");
    EXPECT_EQ(joined("x+++y"), "x ++ + y");
}

TEST(CTokens, CommentsAndPreprocessorLinesAreNone) {
    EXPECT_EQ(joined("a; /* b; */ c; // d\n#define E \\\n f\n  # if g\nh;"), "a ; c ; h ;");
    EXPECT_EQ(joined("/* it never ends"), "");
}

TEST(CTokens, TextIsOne) {
    EXPECT_EQ(joined(R"(f("a \" /* b", 'c', '\''))"), R"(f ( "a \" /* b" , 'c' , '\'' ))");
    EXPECT_EQ(joined("\"it never ends\nx"), "\"it never ends\n x");
}

TEST(CTokens, HaveTheirKindAndLine) {
    const auto tokens = c_tokens("a\n/* \n */ 0x1fUL\n\"b\"");
    ASSERT_EQ(tokens.size(), 3U);
    EXPECT_EQ(tokens[0].kind, CTokenKind::kWord);
    EXPECT_EQ(tokens[1].kind, CTokenKind::kNumber);
    EXPECT_EQ(tokens[1].text, "0x1fUL");
    EXPECT_EQ(tokens[1].line, 3U);
    EXPECT_EQ(tokens[2].kind, CTokenKind::kText);
    EXPECT_EQ(tokens[2].line, 4U);
}

}  // namespace
}  // namespace zcrxlab
