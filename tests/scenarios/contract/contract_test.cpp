// Every row of the contract is claimed or listed as not yet claimed, and every claim has its row.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {
namespace {

constexpr auto kRows = std::to_array<ContractRow>({
    {.id = "a.one", .promise = "one", .source = "x.c"},
    {.id = "a.two", .promise = "two", .source = "x.c"},
    {.id = "b.three", .promise = "three", .source = "x.c"},
});

std::vector<std::string> problems(const std::vector<Claim>& claims,
                                  const std::vector<std::string_view>& listed) {
    return coverage_of(kRows, claims, listed).problems;
}

TEST(Contract, RowsAreClaimedOrListed) {
    const std::vector<Claim> claims = {{"s.one", "a.one"}, {"s.two", "a.one"}};
    const std::vector<std::string_view> listed = {"a.two", "b.three"};
    const Coverage coverage = coverage_of(kRows, claims, listed);
    EXPECT_EQ(coverage.rows, 3U);
    EXPECT_EQ(coverage.claimed, 1U);
    EXPECT_EQ(coverage.scenarios_by_row.at("a.one").size(), 2U);
    EXPECT_TRUE(coverage.problems.empty());
}

TEST(Contract, EachKindOfProblemIsReported) {
    EXPECT_EQ(problems({{"s.one", "a.one"}}, {"a.two"}),
              std::vector<std::string>{
                  "No scenario claims b.three, and not_yet_claimed.cpp does not list it."});
    EXPECT_EQ(problems({{"s.one", "a.one"}}, {"a.one", "a.two", "b.three"}),
              std::vector<std::string>{
                  "s.one claims a.one; take it off the list in not_yet_claimed.cpp."});
    EXPECT_EQ(problems({{"s.one", "a.four"}}, {"a.one", "a.two", "b.three"}),
              std::vector<std::string>{"s.one claims a.four, and the contract has no such row."});
    EXPECT_EQ(
        problems({}, {"a.one", "a.two", "b.three", "c"}),
        std::vector<std::string>{"not_yet_claimed.cpp lists c, and the contract has no such row."});
}

// What a row was seen red by can be tried again.
TEST(Contract, MistakesThatTurnedRowsRedAreThere) {
    const std::filesystem::path tests = std::filesystem::path(ZCRXLAB_TREE) / "tests";
    std::ifstream file(tests / "mutations");
    std::set<std::string> of_device;
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with('#')) of_device.insert(line.substr(0, line.find(' ')));
    EXPECT_GT(of_device.size(), 5U);
    size_t seen = 0;
    for (const ContractRow& row : contract_rows()) {
        if (row.seen_red_by.empty()) continue;
        ++seen;
        const std::string mistake(row.seen_red_by);
        EXPECT_TRUE(std::filesystem::exists(tests / "kernel_mutations" / (mistake + ".patch")) ||
                    of_device.contains(mistake) || mistake.starts_with("control_invariants."))
            << row.id << " was seen red by " << mistake << ", and there is no such mistake";
    }
    EXPECT_GT(seen, 0U);
}

TEST(Contract, TheScenariosFitTheContract) {
    FILE* program = popen(ZCRX_SCENARIOS " --contract --json", "r");
    ASSERT_NE(program, nullptr);
    std::string text;
    char part[4096];
    while (const size_t length = fread(part, 1, sizeof(part), program)) text.append(part, length);
    EXPECT_EQ(pclose(program), 0);
    const nlohmann::json json = nlohmann::json::parse(text);
    EXPECT_EQ(json["rows"], contract_rows().size());
    EXPECT_GT(json["claimed"], 0);
    for (const nlohmann::json& problem : json["problems"])
        ADD_FAILURE() << problem.get<std::string>();
}

struct Row {
    const char* name;
    std::string_view claims;
    Terms terms;
};
const Row kTable[] = {{"first", "r.first", Terms(Needs{}).claims({"r.own"})}};

TEST(Contract, ARowOfATableClaimsWhatItsTableClaims) {
    Scenario form;
    form.chapter = "contract_table";
    form.test = "table";
    form.terms = Terms(Needs{}).claims({"t.one", "t.two"});
    add_scenario_table(form, kTable, [](Scene&, const Row&) {});
    const Scenario* added = find_scenario("contract_table.table/first");
    ASSERT_NE(added, nullptr);
    EXPECT_EQ(added->terms.claimed,
              (std::vector<std::string_view>{"r.own", "t.one", "t.two", "r.first"}));
}

}  // namespace
}  // namespace zcrxlab
