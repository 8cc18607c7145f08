// JSON that is read: what comes back, and what is refused with a reason.
#include "harness/faults/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace zcrxlab {
namespace {

using nlohmann::json;

std::string refused(std::string_view text, size_t levels = kMaximumJsonLevels) {
    const auto read = parse_strict_json(text, levels);
    return read ? "it was read" : read.error().sentence;
}

TEST(JsonText, IsReadAsItStands) {
    for (const char* text : {"null", "true", "-1", "18446744073709551615", "0.25", R"("a\u0000b")",
                             "[]", "{}", R"([1,[2,[]],{"a":{"b":[{}]},"c":null},"x"])",
                             R"({"a":{"a":{"a":1}},"b":[{"a":2},{"a":3}]})"}) {
        const auto read = parse_strict_json(text);
        ASSERT_TRUE(read) << text << ": " << read.error().sentence;
        EXPECT_EQ(*read, json::parse(text)) << text;
    }
}

TEST(JsonText, WhatIsNoneIsRefused) {
    for (const char* text : {"", " ", "{", "[1,]", "{\"a\":}", "nul", "{} {}", "\"\xff\"", "1e999"})
        EXPECT_NE(refused(text).find("it is no JSON from byte"), std::string::npos)
            << text << ": " << refused(text);
}

TEST(JsonText, AKeyStandsOnce) {
    EXPECT_EQ(refused(R"({"a":[1],"b":2,"a":3})"),
              R"("a" stands twice in one object (first as [1]); a key can stand there once.)");
    EXPECT_NE(refused(R"([{"x":{"y":1,"y":1}}])").find("\"y\" stands twice"), std::string::npos);
    // Two spellings of one key.
    EXPECT_NE(refused(R"({"a":1,"\u0061":1})").find("twice"), std::string::npos);
}

TEST(JsonText, DepthIsBounded) {
    EXPECT_TRUE(parse_strict_json("[[{}]]", 3));
    EXPECT_NE(refused("[[{}]]", 2).find("2 levels"), std::string::npos);
    EXPECT_NE(refused(std::string(1000000, '[')).find("8 levels"), std::string::npos);
    std::string objects;
    for (int i = 0; i < 100000; ++i) objects += R"({"a":)";
    EXPECT_NE(refused(objects).find("8 levels"), std::string::npos);
}

TEST(JsonText, QuotesAreShortAndPlain) {
    EXPECT_EQ(short_text("\x1b[2J\xc3\xa4\n"), R"("\u001b[2J\u00e4\n")");
    EXPECT_EQ(short_text(std::string(200, 'x')).size(), 83U);
}

}  // namespace
}  // namespace zcrxlab
