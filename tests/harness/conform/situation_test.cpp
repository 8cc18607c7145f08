// The table of situations is whole.
#include "harness/conform/situation.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <sstream>
#include <string>

#include "harness/faults/fault_rule_json.hpp"

namespace zcrxlab {
namespace {

TEST(Situations, EachHasANameOfItsOwnAndASummary) {
    std::set<std::string_view> names;
    for (const Situation& situation : situations()) {
        EXPECT_TRUE(names.insert(situation.name).second) << situation.name;
        for (const char c : situation.name)
            EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                        std::isdigit(static_cast<unsigned char>(c)) != 0)
                << situation.name;
        // It stands behind "In this situation".
        EXPECT_FALSE(situation.summary.empty() || situation.summary.ends_with('.'));
        EXPECT_EQ(find_situation(situation.name), &situation);
    }
    EXPECT_EQ(find_situation("none of these"), nullptr);
}

TEST(Situations, WithAClientAreThoseThatNoPeerOfOursMakes) {
    for (const Situation& situation : situations()) {
        EXPECT_EQ(summary_of(situation, false), situation.summary);
        if (!situation.with_client) {
            EXPECT_EQ(situation.client_summary, "") << situation.name;
            continue;
        }
        const std::string_view summary = summary_of(situation, true);
        EXPECT_FALSE(summary.empty() || summary.ends_with('.')) << situation.name;
        // There is none to be told of.
        EXPECT_EQ(summary.find("peer"), std::string_view::npos) << summary;
        EXPECT_EQ(situation.end, StreamEnd::kFin) << situation.name;
        EXPECT_EQ(situation.family, 4) << situation.name;
        EXPECT_EQ(situation.queues, 1U) << situation.name;
        EXPECT_FALSE(situation.without_sack || situation.crosses_queues) << situation.name;
    }
    EXPECT_TRUE(find_situation("plain")->with_client);
    EXPECT_FALSE(find_situation("fin_alone")->with_client);
}

TEST(Situations, CanBeMade) {
    for (const Situation& situation : situations()) {
        EXPECT_GT(situation.connections, 0U) << situation.name;
        EXPECT_GT(situation.write, 0U) << situation.name;
        EXPECT_TRUE(situation.family == 4 || situation.family == 6) << situation.name;
        if (situation.end == StreamEnd::kResetAtOnce) {
            EXPECT_EQ(situation.bytes, 0U) << situation.name;
        }
        if (situation.end == StreamEnd::kFinWithData) {
            EXPECT_LE(situation.bytes, situation.write) << situation.name;
        }
        std::istringstream rules{std::string(situation.faults)};
        for (std::string line; std::getline(rules, line);) {
            const auto rule = read_fault_rule(line);
            EXPECT_TRUE(rule) << situation.name << ": " << rule.error().sentence;
        }
    }
}

}  // namespace
}  // namespace zcrxlab
