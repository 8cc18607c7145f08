// Fault rules as JSON: every key is read and written, and what is wrong is named.
#include "harness/faults/fault_rule_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = ZCRXLAB_SOURCE_DIR;

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FaultRuleJson, EveryKeyIsReadAndWritten) {
    const char* text =
        R"({"what":"delay","port":1,"frames":3,"milliseconds":250,"match":{"protocol":"udp",)"
        R"("payload":false,"queue":4,"family":6,"source_port":1,"destination_port":65535,)"
        R"("skip":10,"every":5,"probability":0.5,"seed":0,"count":2}})";
    const auto rule = read_fault_rule(text);
    ASSERT_TRUE(rule) << rule.error().sentence;
    EXPECT_EQ(*rule, (FaultRule{.what = FaultKind::kDelay,
                                .port = 1,
                                .frames = 3,
                                .milliseconds = 250,
                                .match = {.protocol = FaultProtocol::kUdp,
                                          .payload = false,
                                          .queue = 4,
                                          .family = FaultFamily::kIpv6,
                                          .source_port = 1,
                                          .destination_port = 65535,
                                          .skip = 10,
                                          .every = 5,
                                          .probability = 0.5,
                                          .seed = 0,
                                          .count = 2}}));
    EXPECT_EQ(fault_rule_text(*rule), text);
    EXPECT_EQ(read_fault_rule(R"({"what":"corrupt","bytes":7})")->bytes, 7U);
    EXPECT_EQ(read_fault_rule(R"({"what":"wrong_queue","to":3})")->to, 3);
    EXPECT_EQ(read_fault_rule(R"({"what":"buffer_error","buffer":127})")->buffer, 127);
}

TEST(FaultRuleJson, OrderAndDefaultsDoNotMatter) {
    const auto rule = read_fault_rule(
        R"( {"match":{"count":18446744073709551615,"protocol":"tcp","probability":1,"every":1},)"
        R"("port":0,"what":"drop"} )");
    ASSERT_TRUE(rule) << rule.error().sentence;
    EXPECT_EQ(*rule, (FaultRule{.match = {.protocol = FaultProtocol::kTcp}}));
    EXPECT_EQ(fault_rule_text(*rule), R"({"what":"drop","match":{"protocol":"tcp"}})");
    EXPECT_EQ(read_fault_rule(R"({"what":"drop","match":{}})").value(), FaultRule{});
}

TEST(FaultRuleJson, EachKindIsReadAndWritten) {
    for (const FaultKind kind : fault_kinds()) {
        const FaultRule rule = default_rule(kind);
        const auto again = read_fault_rule(fault_rule_text(rule));
        ASSERT_TRUE(again) << again.error().sentence;
        EXPECT_EQ(*again, rule);
        EXPECT_EQ(fault_rule_text({.what = kind}),
                  std::string(R"({"what":")").append(fault_name(kind)) + "\"}");
    }
}

struct Wrong {
    const char* text;
    const char* says;
};
constexpr Wrong kWrong[] = {
    {"", "object"},
    {"[]", "object"},
    {"{", "no JSON from byte"},
    {"{}", R"(no "what" in the rule; it must be one of drop, duplicate, )"},
    {R"({"what":7})", R"("what" in the rule is 7; it must be one of drop, )"},
    {R"({"what":null})", R"("what" in the rule is null)"},
    {R"({"what":"explode"})", R"("what" in the rule is "explode"; it must be one of drop, )"},
    {R"({"what":"drop","what":"drop"})", R"("what" stands twice)"},
    {R"({"what":"drop","match":{"skip":1,"skip":1}})", R"("skip" stands twice)"},
    {R"({"what":"drop","prot":1})",
     R"(no "prot" in a rule of drop (it is 1); there can be what, port, match.)"},
    {R"({"what":"drop","bytes":1})", R"(no "bytes" in a rule of drop (it is 1))"},
    {R"({"what":"delay","to":1})", "there can be what, port, frames, milliseconds, match."},
    {R"({"what":"drop","port":2})",
     R"("port" in a rule of drop is 2; it must be a whole number from 0 to 1.)"},
    {R"({"what":"drop","port":-1})", R"("port" in a rule of drop is -1)"},
    {R"({"what":"drop","port":0.5})", R"("port" in a rule of drop is 0.5)"},
    {R"({"what":"drop","port":"0"})", R"("port" in a rule of drop is "0")"},
    {R"({"what":"split_late","bytes":-1})", R"("bytes" in a rule of split_late is -1)"},
    {R"({"what":"split_late","bytes":1.5})",
     R"(is 1.5; it must be a whole number from 0 to 262144.)"},
    {R"({"what":"corrupt","bytes":262145})",
     R"(is 262145; it must be a whole number from 0 to 262144.)"},
    {R"({"what":"corrupt","bytes":18446744073709551616})",
     R"("bytes" in a rule of corrupt is 1.8)"},
    {R"({"what":"delay","frames":0})", R"(is 0; it must be a whole number from 1 to 1000000.)"},
    {R"({"what":"delay","frames":1e9})", R"("frames" in a rule of delay is 1000000000.0)"},
    {R"({"what":"delay","milliseconds":"20"})", R"("milliseconds" in a rule of delay is "20")"},
    {R"({"what":"delay","milliseconds":600001})", "a whole number from 0 to 600000."},
    {R"({"what":"wrong_queue","to":65536})", "a whole number from 0 to 65535."},
    {R"({"what":"drop","match":[]})", R"("match" in a rule of drop is []; it must be an object.)"},
    {R"({"what":"drop","match":null})", R"("match" in a rule of drop is null)"},
    {R"({"what":"drop","match":{"colour":"red"}})",
     R"(no "colour" in "match" (it is "red"); there can be protocol, )"},
    {R"({"what":"drop","match":{"queue":65536}})", R"("queue" in "match" is 65536)"},
    {R"({"what":"drop","match":{"every":0}})",
     R"("every" in "match" is 0; it must be a whole number from 1 to 2147483647.)"},
    {R"({"what":"drop","match":{"every":2147483648}})", R"("every" in "match" is 2147483648)"},
    {R"({"what":"drop","match":{"family":5}})", R"("family" in "match" is 5; it must be 4 or 6.)"},
    {R"({"what":"drop","match":{"family":4.0}})", "4 or 6"},
    {R"({"what":"drop","match":{"payload":1}})",
     R"("payload" in "match" is 1; it must be true or false.)"},
    {R"({"what":"drop","match":{"payload":null}})", R"("payload" in "match" is null)"},
    {R"({"what":"drop","match":{"protocol":6}})",
     R"("protocol" in "match" is 6; it must be "tcp", "udp" or "icmp".)"},
    {R"({"what":"drop","match":{"protocol":"sctp"}})", R"("protocol" in "match" is "sctp")"},
    {R"({"what":"drop","match":{"probability":1.5}})",
     R"(is 1.5; it must be a number from 0 to 1.)"},
    {R"({"what":"drop","match":{"probability":-0.1}})", R"("probability" in "match" is -0.1)"},
    {R"({"what":"drop","match":{"probability":"often"}})",
     R"("probability" in "match" is "often")"},
    {R"({"what":"drop","match":{"probability":null}})", R"("probability" in "match" is null)"},
    {R"({"what":"drop","match":{"count":{}}})", R"("count" in "match" is {})"},
    {R"({"what":"drop","match":{"seed":-1}})", R"("seed" in "match" is -1)"},
};

TEST(FaultRuleJson, WhatIsWrongIsNamed) {
    for (const Wrong& wrong : kWrong) {
        const auto rule = read_fault_rule(wrong.text);
        ASSERT_FALSE(rule) << wrong.text << " became " << fault_rule_text(*rule);
        EXPECT_EQ(rule.error().code, EINVAL) << wrong.text;
        EXPECT_NE(rule.error().sentence.find(wrong.says), std::string::npos)
            << wrong.text << " gives: " << rule.error().sentence;
    }
}

TEST(FaultRuleJson, RangesAreInclusive) {
    for (const char* text : {R"({"what":"corrupt","bytes":262144})",
                             R"({"what":"delay","frames":1000000,"milliseconds":600000})",
                             R"({"what":"wrong_queue","to":65535})"})
        EXPECT_TRUE(read_fault_rule(text)) << text;
}

TEST(FaultRuleJson, ABuiltRuleIsChecked) {
    EXPECT_TRUE(check_fault_rule({.what = FaultKind::kDelay, .frames = 1}));
    EXPECT_NE(check_fault_rule({.what = FaultKind::kDrop, .frames = 1})
                  .error()
                  .sentence.find("no \"frames\""),
              std::string::npos);
    EXPECT_FALSE(check_fault_rule({.port = 2}));
    EXPECT_FALSE(check_fault_rule({.match = {.every = 0}}));
    EXPECT_FALSE(check_fault_rule({.match = {.probability = 2}}));
    EXPECT_FALSE(check_fault_rule({.match = {.family = static_cast<FaultFamily>(5)}}));
}

// What scenarios inject, one rule a file.
TEST(FaultRuleJson, SeedsAreWrittenAsTheyStand) {
    size_t seeds = 0;
    for (const auto& entry : fs::directory_iterator(kTree / "tests/harness/faults/seeds")) {
        const std::string text = text_of(entry.path());
        const auto rule = read_fault_rule(text);
        ASSERT_TRUE(rule) << entry.path() << ": " << rule.error().sentence;
        EXPECT_EQ(fault_rule_text(*rule) + "\n", text) << entry.path();
        ++seeds;
    }
    EXPECT_GE(seeds, fault_kinds().size());
}

// ---- rules on pages

// Each "{...}" that begins as a rule does. Those of pages have no braces in strings.
void add_examples(const fs::path& path, std::vector<std::string>& rules) {
    const std::string text = text_of(path);
    for (size_t at = 0; (at = text.find("{\"what\":\"", at)) != std::string::npos; ++at) {
        size_t end = at;
        for (int open = 0; end < text.size(); ++end) {
            open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
            if (open == 0) break;
        }
        rules.push_back(text.substr(at, end + 1 - at));
    }
}

void expect_the_same_when_written(const std::vector<std::string>& rules) {
    for (const std::string& text : rules) {
        const auto rule = read_fault_rule(text);
        ASSERT_TRUE(rule) << text << ": " << rule.error().sentence;
        const auto again = read_fault_rule(fault_rule_text(*rule));
        ASSERT_TRUE(again) << text;
        EXPECT_EQ(*again, *rule) << text;
    }
}

TEST(FaultRuleJson, RulesOnPagesAreRules) {
    for (const char* page :
         {"README.md", "docs/device.md", "docs/applications.md", "nic/control/README.md",
          "cli/run/manual.cpp", "cli/exec/manual.cpp", "nic/program/main.cpp"}) {
        std::vector<std::string> rules;
        add_examples(kTree / page, rules);
        EXPECT_FALSE(rules.empty()) << page;
        expect_the_same_when_written(rules);
    }
}

// Every kind and key has its row in the reference.
TEST(FaultRuleJson, TheReferenceHasThemAll) {
    const std::string page = text_of(kTree / "nic/control/README.md");
    for (const FaultKind kind : fault_kinds()) {
        const std::string row = "| `" + std::string(fault_name(kind)) + "` |";
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
    const FaultRule all{.bytes = 1,
                        .frames = 1,
                        .milliseconds = 1,
                        .to = 1,
                        .match = {.protocol = FaultProtocol::kTcp,
                                  .payload = true,
                                  .queue = 1,
                                  .family = FaultFamily::kIpv4,
                                  .source_port = 1,
                                  .destination_port = 1,
                                  .skip = 1,
                                  .every = 2,
                                  .probability = 0.5,
                                  .seed = 2,
                                  .count = 1}};
    const auto json = fault_rule_to_json(all);
    for (const auto& object : {json, json.at("match")})
        for (const auto& [key, value] : object.items())
            EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
}

}  // namespace
}  // namespace zcrxlab
