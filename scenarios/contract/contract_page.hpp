// The contract as a page: docs/contract.md.
#pragma once

#include <span>
#include <string>

#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// Markdown. `findings` tell which rows were seen red by a kernel as it was released. No scenario of
// `unnamed` appears; "NAME*" is all whose names begin so.
std::string contract_page(std::span<const ContractRow> rows, const Coverage& coverage,
                          std::span<const Finding> findings, std::span<const std::string> unnamed);

}  // namespace zcrxlab
