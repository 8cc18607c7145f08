// Coverage: which scenarios claim which row of the contract, and where the two do not fit.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/contract/rows.hpp"

namespace zcrxlab {

// What a scenario says that it asserts.
struct Claim {
    std::string scenario;
    std::string_view row;
};

struct Coverage {
    std::map<std::string_view, std::vector<std::string>> scenarios_by_row;
    size_t rows = 0;
    size_t claimed = 0;
    // Whole sentences; empty if every row is either claimed or listed as not yet claimed.
    std::vector<std::string> problems;
};
Coverage coverage_of(std::span<const ContractRow> rows, std::span<const Claim> claims,
                     std::span<const std::string_view> not_yet_claimed);

// The rows that no scenario claims yet. A row leaves the list with the first scenario that claims
// it.
std::span<const std::string_view> not_yet_claimed();

// The coverage of contract_rows() by scenarios(): for people, and as JSON {rows, claimed,
// problems: [sentence], contract: [{id, promise, source, scenarios}]}.
Coverage coverage();
std::string coverage_for_people();
std::string coverage_as_json();

}  // namespace zcrxlab
