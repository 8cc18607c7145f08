// Coverage: which scenarios claim each row of the contract, and which rows and claims have no
// counterpart.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/contract/rows.hpp"

namespace zcrxlab {

// A scenario says that it asserts a row.
struct Claim {
    std::string scenario;
    std::string_view row;
};

struct Coverage {
    std::map<std::string_view, std::vector<std::string>> scenarios_by_row;
    size_t rows = 0;
    size_t claimed = 0;
    // Whole sentences. Empty if each row is either claimed or listed as not yet claimed, and each
    // claim has its row.
    std::vector<std::string> problems;
};
Coverage coverage_of(std::span<const ContractRow> rows, std::span<const Claim> claims,
                     std::span<const std::string_view> not_yet_claimed);

// The rows that no scenario claims yet. The first scenario that claims a row takes it off this
// list.
std::span<const std::string_view> not_yet_claimed();

// How scenarios() cover contract_rows(). The JSON is {rows, claimed, problems: [sentence],
// contract: [{id, promise, source, scenarios}]}.
Coverage coverage();
std::string coverage_for_people();
std::string coverage_as_json();

}  // namespace zcrxlab
