// Every row of the contract is claimed or listed as not yet claimed, and every claim has its row.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
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

// "NAME SCENARIOS ..." of each line that is no comment; several scenarios are joined by colons.
std::map<std::string, std::string> mistakes_in(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::map<std::string, std::string> mistakes;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name, scenarios;
        if (!line.starts_with('#') && words >> name >> scenarios) mistakes[name] = scenarios;
    }
    return mistakes;
}

nlohmann::json output_of(const char* command) {
    FILE* program = popen(command, "r");
    if (program == nullptr) return {};
    std::string text;
    char part[4096];
    while (const size_t length = fread(part, 1, sizeof(part), program)) text.append(part, length);
    EXPECT_EQ(pclose(program), 0);
    return nlohmann::json::parse(text);
}

// The scenarios that claim each row.
std::map<std::string, std::set<std::string>> claimants() {
    std::map<std::string, std::set<std::string>> found;
    const nlohmann::json list = output_of(ZCRX_SCENARIOS " --list --json");
    for (const nlohmann::json& chapter : list["chapters"])
        for (const nlohmann::json& test : chapter["tests"])
            if (test.contains("claims"))
                for (const nlohmann::json& row : test["claims"]) found[row].insert(test["name"]);
    return found;
}

bool shows_it(const std::string& scenarios, const std::set<std::string>& claiming) {
    std::istringstream words(scenarios);
    for (std::string name; std::getline(words, name, ':');)
        if (claiming.contains(name)) return true;
    return false;
}

// What a row was seen red by can be tried again, and shows it in a scenario that claims the row.
TEST(Contract, MistakesThatTurnedRowsRedAreThere) {
    const std::filesystem::path tests = std::filesystem::path(ZCRXLAB_TREE) / "tests";
    const auto of_device = mistakes_in(tests / "mutations");
    const auto of_kernel = mistakes_in(tests / "kernel_probes/mistakes");
    std::set<std::string> of_drivers;
    for (const auto& patch :
         std::filesystem::recursive_directory_iterator(tests / "driver_mutations"))
        of_drivers.insert(patch.path().stem());
    EXPECT_GT(of_device.size(), 5U);
    EXPECT_GT(of_kernel.size(), 5U);
    const auto claiming = claimants();
    size_t seen = 0;
    for (const ContractRow& row : contract_rows()) {
        EXPECT_TRUE(row.seen_red_by.empty() || row.beyond_reach.empty()) << row.id;
        if (row.seen_red_by.empty()) continue;
        ++seen;
        const std::string mistake(row.seen_red_by);
        if (const auto probe = of_kernel.find(mistake); probe != of_kernel.end()) {
            EXPECT_TRUE(shows_it(probe->second, claiming.at(std::string(row.id))))
                << "no scenario that " << mistake << " reddens claims " << row.id;
            continue;
        }
        EXPECT_TRUE(std::filesystem::exists(tests / "kernel_mutations" / (mistake + ".patch")) ||
                    of_drivers.contains(mistake) || of_device.contains(mistake) ||
                    mistake.starts_with("control_invariants."))
            << row.id << " was seen red by " << mistake << ", and there is no such mistake";
    }
    EXPECT_GT(seen, 0U);
}

// Success for an errno, and another errno where one is promised: each refusal was seen to notice.
TEST(Contract, EachRefusalOfARegistrationWasSeenRed) {
    const auto of_kernel =
        mistakes_in(std::filesystem::path(ZCRXLAB_TREE) / "tests/kernel_probes/mistakes");
    const auto claiming = claimants();
    // Kernels differ in the errno of an area that is too large.
    const std::set<std::string>& any_errno = claiming.at("registration.area-too-large");
    size_t refusals = 0;
    for (const auto& [row, scenarios] : claiming) {
        for (const std::string& scenario : scenarios) {
            if (!scenario.starts_with("registration.refused/")) continue;
            ++refusals;
            EXPECT_TRUE(shows_it(of_kernel.at("refusal-says-success"), {scenario})) << scenario;
            EXPECT_NE(shows_it(of_kernel.at("other-errno-of-registration"), {scenario}),
                      any_errno.contains(scenario))
                << scenario;
        }
    }
    EXPECT_GT(refusals, 0U);
}

TEST(Contract, TheScenariosFitTheContract) {
    const nlohmann::json json = output_of(ZCRX_SCENARIOS " --contract --json");
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
