// The findings as a page: docs/findings.md.
#pragma once

#include <span>
#include <string>

#include "scenarios/contract/rows.hpp"
#include "scenarios/known_issues/findings.hpp"

namespace zcrxlab {

// Markdown. Of findings that are embargoed it says only how many there are. `rows` has the promises
// that findings break.
std::string findings_page(std::span<const Finding> findings, std::span<const ContractRow> rows);

}  // namespace zcrxlab
