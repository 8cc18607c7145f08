// Fault rules as JSON (nic/control/README.md): on the command line, in lists of actions, in traces,
// and on the control channel.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"

namespace zcrxlab {

// EINVAL with a sentence that names the key, its value and what is possible there. A key that is
// not known, or stands twice, is an error. What is not given is not given in the rule either.
Result<FaultRule> read_fault_rule(std::string_view text);
// The same of JSON that parse_strict_json() has read, which bounds its depth.
Result<FaultRule> fault_rule_from_json(const nlohmann::json& object);
// Of a rule that was built: EINVAL if a parameter is out of its range, or none of its kind's.
Result<void> check_fault_rule(const FaultRule& rule);

// Only what is given, in the order of the type; the same rule always gives the same text. A rule
// that check_fault_rule() refuses is written, too, and refused by who reads it.
nlohmann::ordered_json fault_rule_to_json(const FaultRule& rule);
std::string fault_rule_text(const FaultRule& rule);

}  // namespace zcrxlab
