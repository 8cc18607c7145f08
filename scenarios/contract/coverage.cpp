// Coverage: finds the scenarios of each row, and shows them as text and as JSON.
#include "scenarios/contract/coverage.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/framework/scenario.hpp"

namespace zcrxlab {

Coverage coverage_of(std::span<const ContractRow> rows, std::span<const Claim> claims,
                     std::span<const std::string_view> not_yet_claimed) {
    Coverage coverage;
    coverage.rows = rows.size();
    for (const ContractRow& row : rows)
        if (!coverage.scenarios_by_row.try_emplace(row.id).second)
            coverage.problems.push_back("The contract has two rows " + std::string(row.id) + ".");
    for (const Claim& claim : claims) {
        const auto row = coverage.scenarios_by_row.find(claim.row);
        if (row == coverage.scenarios_by_row.end())
            coverage.problems.push_back(claim.scenario + " claims " + std::string(claim.row) +
                                        ", and the contract has no such row.");
        else
            row->second.push_back(claim.scenario);
    }
    const auto listed = [&](std::string_view id) {
        return std::ranges::find(not_yet_claimed, id) != not_yet_claimed.end();
    };
    for (const auto& [id, scenarios] : coverage.scenarios_by_row) {
        coverage.claimed += scenarios.empty() ? 0 : 1;
        if (scenarios.empty() && !listed(id))
            coverage.problems.push_back("No scenario claims " + std::string(id) +
                                        ", and not_yet_claimed.cpp does not list it.");
        if (!scenarios.empty() && listed(id))
            coverage.problems.push_back(scenarios.front() + " claims " + std::string(id) +
                                        "; take it off the list in not_yet_claimed.cpp.");
    }
    for (const std::string_view id : not_yet_claimed)
        if (!coverage.scenarios_by_row.contains(id))
            coverage.problems.push_back("not_yet_claimed.cpp lists " + std::string(id) +
                                        ", and the contract has no such row.");
    return coverage;
}

Coverage coverage() {
    std::vector<Claim> claims;
    for (const Scenario& scenario : scenarios())
        for (const std::string_view row : scenario.terms.claimed)
            claims.push_back({scenario.name(), row});
    return coverage_of(contract_rows(), claims, not_yet_claimed());
}

std::string coverage_for_people() {
    const Coverage found = coverage();
    std::string text;
    for (const ContractRow& row : contract_rows()) {
        text += std::string(row.id) + "\n    " + std::string(row.promise) + " [" +
                std::string(row.source) + "]\n";
        for (const std::string& name : found.scenarios_by_row.at(row.id))
            text += "      " + name + '\n';
    }
    text += std::to_string(found.rows) + " rows, " + std::to_string(found.claimed) +
            " claimed by scenarios\n";
    for (const std::string& problem : found.problems) text += problem + '\n';
    return text;
}

std::string coverage_as_json() {
    const Coverage found = coverage();
    nlohmann::json rows = nlohmann::json::array();
    for (const ContractRow& row : contract_rows())
        rows.push_back({{"id", row.id},
                        {"promise", row.promise},
                        {"source", row.source},
                        {"scenarios", found.scenarios_by_row.at(row.id)}});
    return nlohmann::json{{"rows", found.rows},
                          {"claimed", found.claimed},
                          {"problems", found.problems},
                          {"contract", std::move(rows)}}
        .dump();
}

}  // namespace zcrxlab
