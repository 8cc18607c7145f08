// The rules of the simulated NIC, translated.
#include <gtest/gtest.h>

#include <cerrno>

#include "harness/target/netdevsim_rule.hpp"

namespace zcrxlab {
namespace {

TEST(NetdevsimRule, JsonBecomesALine) {
    const auto rule = netdevsim_rule(
        R"({"what":"split_late","port":1,"bytes":3,"match":{"protocol":"tcp","payload":true,)"
        R"("source_port":80,"every":5,"probability":0.25,"seed":14511081705270849137}})",
        4);
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->port, 1U);
    EXPECT_EQ(rule->line,
              "add id=4 what=split_late bytes=3 sport=80 every=5 seed=14511081705270849137 "
              "payload=1 protocol=6 probability=250000");
}

TEST(NetdevsimRule, StandingRulesSaySo) {
    EXPECT_EQ(netdevsim_rule(R"({"what":"drop"})", 1, true)->line, "add id=1 what=drop standing=1");
}

TEST(NetdevsimRule, DefaultsAreThoseOfTheEmulatedNic) {
    EXPECT_EQ(netdevsim_rule(R"({"what":"corrupt"})", 1)->line, "add id=1 what=corrupt bytes=0");
    EXPECT_EQ(netdevsim_rule(R"({"what":"link_flap"})", 1)->line,
              "add id=1 what=link_flap milliseconds=100");
    EXPECT_EQ(netdevsim_rule(R"({"what":"link_flap","milliseconds":7})", 1)->line,
              "add id=1 what=link_flap milliseconds=100 milliseconds=7");
}

struct Wrong {
    const char* rule;
    const char* says;
};
constexpr Wrong kWrong[] = {
    {"", "object"},
    {"[]", "object"},
    {"{", "object"},
    {"{}", "\"what\""},
    {R"({"what":7})", "\"what\""},
    {R"({"what":null})", "\"what\""},
    {R"({"what":"explode"})", "lose_interrupt"},
    {R"({"what":"drop","port":2})", "\"port\""},
    {R"({"what":"drop","port":"0"})", "\"port\""},
    {R"({"what":"drop","bytes":1})", "no \"bytes\""},
    {R"({"what":"split_late","bytes":-1})", "\"bytes\""},
    {R"({"what":"split_late","bytes":1.5})", "\"bytes\""},
    {R"({"what":"delay","frames":0})", "\"frames\""},
    {R"({"what":"delay","milliseconds":"20"})", "\"milliseconds\""},
    {R"({"what":"drop","match":[]})", "\"match\""},
    {R"({"what":"drop","match":{"every":0}})", "\"every\""},
    {R"({"what":"drop","match":{"every":4294967296}})", "\"every\""},
    {R"({"what":"drop","match":{"family":5}})", "4 or 6"},
    {R"({"what":"drop","match":{"payload":1}})", "\"payload\""},
    {R"({"what":"drop","match":{"payload":null}})", "\"payload\""},
    {R"({"what":"drop","match":{"protocol":6}})", "\"protocol\""},
    {R"({"what":"drop","match":{"protocol":"sctp"}})", "\"protocol\""},
    {R"({"what":"drop","match":{"probability":1.5}})", "\"probability\""},
    {R"({"what":"drop","match":{"probability":"all"}})", "\"probability\""},
    {R"({"what":"drop","match":{"probability":null}})", "\"probability\""},
    {R"({"what":"drop","match":{"colour":"red"}})", "no \"colour\""},
    {R"({"what":"drop","match":{"count":{}}})", "\"count\""},
};

TEST(NetdevsimRule, WhatIsWrongIsNamed) {
    for (const Wrong& wrong : kWrong) {
        const auto rule = netdevsim_rule(wrong.rule, 1);
        ASSERT_FALSE(rule) << wrong.rule << " became " << rule->line;
        EXPECT_EQ(rule.error().code, EINVAL) << wrong.rule;
        EXPECT_NE(rule.error().sentence.find(wrong.says), std::string::npos)
            << wrong.rule << " gives: " << rule.error().sentence;
    }
}

}  // namespace
}  // namespace zcrxlab
