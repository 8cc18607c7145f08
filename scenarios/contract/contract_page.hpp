// The contract as a page: docs/contract.md.
#pragma once

#include <span>
#include <string>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"

namespace zcrxlab {

// Markdown. No scenario of `unnamed` appears; "NAME*" is all whose names begin so.
std::string contract_page(std::span<const ContractRow> rows, const Coverage& coverage,
                          std::span<const std::string> unnamed);

}  // namespace zcrxlab
