// Filters select scenarios as GoogleTest's do, and leave alone what runs on request only.
#include <gtest/gtest.h>

#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {
namespace {

struct Choice {
    const char* filter;
    const char* chapter;
    const char* test;
    bool selected;
};

class Selection : public testing::TestWithParam<Choice> {};

TEST_P(Selection, Follows) {
    Scenario scenario;
    scenario.chapter = GetParam().chapter;
    scenario.test = GetParam().test;
    EXPECT_EQ(selects(GetParam().filter, scenario), GetParam().selected)
        << GetParam().filter << " and " << scenario.name();
}

const Choice kChoices[] = {
    {"", "receive", "one_byte", true},
    {"*", "receive", "one_byte", true},
    {"receive.*", "receive", "one_byte", true},
    {"receive.one_byte", "receive", "one_byte", true},
    {"receive.one", "receive", "one_byte", false},
    {"receive.one_?yte", "receive", "one_byte", true},
    {"tcp.*:receive.*", "receive", "one_byte", true},
    {"tcp.*", "receive", "one_byte", false},
    {"receive.*-*one*", "receive", "one_byte", false},
    {"-*one*", "receive", "one_byte", false},
    {"-*two*", "receive", "one_byte", true},
    {"-tcp.*:receive.*", "receive", "one_byte", false},
    {"receive.sizes/*", "receive", "sizes/64_mib", true},
    {"receive.sizes/64_mib", "receive", "sizes/64_mib", true},
    {"", "control_invariants", "a", false},
    {"*", "control_invariants", "a", false},
    {"-tcp.*", "control_invariants", "a", false},
    {"control_*", "control_invariants", "a", true},
    {"control_*", "control", "flush", false},
    {"control.*", "control", "flush", true},
    {"control_*-*.a", "control_invariants", "a", false},
    {"soak.*", "soak", "hours", true},
    {"", "soak", "hours", false},
    {"::", "receive", "one_byte", false},
};
INSTANTIATE_TEST_SUITE_P(Filters, Selection, testing::ValuesIn(kChoices));

TEST(Scenarios, AreKeptInTheOrderOfTheirChapters) {
    const auto add = [](const char* chapter, const char* test, int line) {
        Scenario scenario;
        scenario.chapter = chapter;
        scenario.test = test;
        scenario.file = "a.cpp";
        scenario.line = line;
        add_scenario(scenario);
    };
    add("tcp", "second", 20);
    add("nobody_knows", "last", 1);
    add("tcp", "first", 10);
    add("receive", "b/1", 5);
    add("receive", "b/2", 5);
    std::vector<std::string> names;
    for (const Scenario& scenario : scenarios()) names.push_back(scenario.name());
    EXPECT_EQ(names, (std::vector<std::string>{"receive.b/1", "receive.b/2", "tcp.first",
                                               "tcp.second", "nobody_knows.last"}));
    EXPECT_NE(find_scenario("tcp.first"), nullptr);
    EXPECT_EQ(find_scenario("tcp.third"), nullptr);
}

}  // namespace
}  // namespace zcrxlab
