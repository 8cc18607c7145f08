// JSON of others: whatever it is, it is refused or read, and never throws.
#include "harness/base/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zcrxlab {
namespace {

using Json = nlohmann::json;

std::string nested(size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, BoundsTheDepth) {
    EXPECT_TRUE(parse_json(nested(64)));
    ASSERT_FALSE(parse_json(nested(65)));
    EXPECT_EQ(parse_json(nested(65)).error().sentence,
              "it is JSON of more than 64 levels, or none");
    EXPECT_TRUE(parse_json(nested(3), {.depth = 3}));
    EXPECT_FALSE(parse_json(nested(4), {.depth = 3}));
    EXPECT_FALSE(parse_json(nested(1'000'000)));
    EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
    EXPECT_FALSE(parse_ordered_json(nested(65)));
}

TEST(ParseJson, BracketsInStringsAreNoDepth) {
    EXPECT_TRUE(parse_json("[\"" + std::string(100, '[') + "\"]"));
    EXPECT_TRUE(parse_json(R"(["\"[[[[", "\\", [1]])", {.depth = 2}));
    EXPECT_FALSE(parse_json(R"(["\\", [[1]]])", {.depth = 2}));
    EXPECT_TRUE(parse_json("[" + std::string(200, ' ') + "[1],[2],[3],{\"a\":[]}]", {.depth = 3}));
}

TEST(ParseJson, BoundsTheSize) {
    EXPECT_TRUE(parse_json("[1]", {.bytes = 3}));
    ASSERT_FALSE(parse_json("[11]", {.bytes = 3}));
    EXPECT_EQ(parse_json("[11]", {.bytes = 3}).error().code, EFBIG);
}

TEST(ParseJson, RefusesWhatIsNone) {
    for (const char* text : {"", "nothing", "{", "[1,]", "{\"a\":1}}", "\"\xff\"", "1e999", "\0"})
        EXPECT_FALSE(parse_json(text)) << text;
    EXPECT_FALSE(parse_json_object("[1]"));
    EXPECT_FALSE(parse_ordered_json_object("3"));
    EXPECT_TRUE(parse_json_object("{}"));
}

TEST(Get, ReadsByType) {
    const Json json = *parse_json(
        R"({"yes":true,"text":"t","small":-3,"large":18446744073709551615,"half":0.5,"null":null})");
    EXPECT_EQ(get<bool>(json, "yes"), true);
    EXPECT_EQ(get<std::string>(json, "text"), "t");
    EXPECT_EQ(get<int>(json, "small"), -3);
    EXPECT_EQ(get<uint64_t>(json, "large"), UINT64_MAX);
    EXPECT_EQ(get<double>(json, "half"), 0.5);
    EXPECT_EQ(get<double>(json, "small"), -3);
    for (const char* name : {"text", "small", "large", "half", "null", "missing"})
        EXPECT_EQ(get<bool>(json, name), std::nullopt) << name;
    for (const char* name : {"yes", "small", "large", "half", "null", "missing"})
        EXPECT_EQ(get<std::string>(json, name), std::nullopt) << name;
    for (const char* name : {"yes", "text", "half", "null", "missing", "small"})
        EXPECT_EQ(get<uint64_t>(json, name), std::nullopt) << name;
    EXPECT_EQ(get_or<bool>(json, "text", true), true);
    EXPECT_EQ(get_or<unsigned>(json, "small", 7), 7U);
    EXPECT_EQ(get_text(json, "half"), "");
}

TEST(Get, NumbersHaveToFit) {
    const Json json = *parse_json(R"([255, 256, -1, 9223372036854775808, -129, 1e3])");
    EXPECT_EQ(get<uint8_t>(json[0]), 255);
    EXPECT_EQ(get<uint8_t>(json[1]), std::nullopt);
    EXPECT_EQ(get<uint8_t>(json[2]), std::nullopt);
    EXPECT_EQ(get<int64_t>(json[3]), std::nullopt);
    EXPECT_EQ(get<uint64_t>(json[3]), 9223372036854775808U);
    EXPECT_EQ(get<int8_t>(json[4]), std::nullopt);
    EXPECT_EQ(get<int>(json[5]), std::nullopt);
    EXPECT_EQ(get<double>(json[5]), 1000);
}

TEST(Get, MembersOfWhatIsNoObject) {
    for (const char* text : {"[1]", "3", "\"a\"", "null", "true"}) {
        const Json json = *parse_json(text);
        EXPECT_EQ(member(json, "a"), nullptr) << text;
        EXPECT_EQ(get<int>(json, "a"), std::nullopt) << text;
        EXPECT_TRUE(get_array(json, "a").empty()) << text;
        EXPECT_TRUE(get_object(json, "a").empty()) << text;
    }
}

TEST(Get, ListsKeepWhatIsOfTheType) {
    const auto json =
        *parse_ordered_json(R"({"all":["a",1,null,"b",["c"]],"one":"a","in":{"x":2}})");
    EXPECT_EQ(get_all<std::string>(json, "all"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(get_all<int>(json, "all"), (std::vector<int>{1}));
    EXPECT_TRUE(get_all<std::string>(json, "one").empty());
    EXPECT_EQ(get<int>(get_object(json, "in"), "x"), 2);
    EXPECT_TRUE(get_object(json, "all").empty());
}

TEST(JsonText, WritesWhatIsNoUtf8) {
    EXPECT_EQ(json_text(Json{{"a", "x\xffy"}}), "{\"a\":\"x\xef\xbf\xbdy\"}");
    EXPECT_EQ(json_text(Json{{"a", 1}}, 1), "{\n \"a\": 1\n}");
}

}  // namespace
}  // namespace zcrxlab
