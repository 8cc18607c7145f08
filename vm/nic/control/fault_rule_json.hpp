// Fault rules in their JSON form (README.md in this folder).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "harness/base/result.hpp"
#include "vm/nic/wire/faults.hpp"

namespace zcrxlab::nic {

// EINVAL with a sentence that names the field that is missing, unknown, of the wrong type or out of
// range. Fields that are not there get the defaults of their kind.
Result<FaultRule> fault_rule_from_json(const nlohmann::json& json);
// Only what differs from "any" is in `match`.
nlohmann::json fault_rule_to_json(const FaultRule& rule);

}  // namespace zcrxlab::nic
