// load_faults: fault rules from a file, so that they hold from the first packet on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"

namespace zcrxlab::nic {

// Rules as one JSON array, or as one JSON object on each line; empty lines and lines that begin
// with # are skipped. EINVAL with the place of the first mistake.
Result<std::vector<FaultRule>> parse_faults(std::string_view text);
// The same of a file of at most 1 MiB; the errno of open or read, or EFBIG.
Result<std::vector<FaultRule>> load_faults(const std::string& path);

}  // namespace zcrxlab::nic
