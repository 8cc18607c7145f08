// The contract as a page: docs/contract.md.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"

namespace zcrxlab {

// By what a kernel as it was released turned rows red: the names of findings by identifier of row.
using SeenRed = std::multimap<std::string_view, std::string_view>;

// Markdown. No scenario of `unnamed` appears; "NAME*" is all whose names begin so.
std::string contract_page(std::span<const ContractRow> rows, const Coverage& coverage,
                          const SeenRed& seen_red, std::span<const std::string> unnamed);

}  // namespace zcrxlab
