// The findings as a page, docs/findings.md, and what they say on that of the contract.
#pragma once

#include <span>
#include <string>

#include "scenarios/contract/contract_page.hpp"
#include "scenarios/contract/coverage.hpp"
#include "scenarios/contract/rows.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// Markdown. Of findings that are embargoed it says only how many there are. `rows` has the promises
// that findings break.
std::string findings_page(std::span<const Finding> findings, std::span<const ContractRow> rows);

// The rows of the contract that a scenario which claims them has seen broken, with the findings
// that it shows. None that is embargoed.
SeenRed rows_seen_red(std::span<const Finding> findings, const Coverage& coverage);

}  // namespace zcrxlab
