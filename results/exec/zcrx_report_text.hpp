// Writes a ZcrxReport in words, for people.
#pragma once

#include <string>
#include <vector>

#include "results/exec/zcrx_report.hpp"

namespace zcrxlab {

// Lines without their ends; what belongs to the line above begins with blanks. `most_connections`
// are told of one by one.
std::vector<std::string> in_words(const ZcrxReport& report, size_t most_connections);

}  // namespace zcrxlab
