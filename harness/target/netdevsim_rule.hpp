// NetdevsimRule: a fault rule of vm/nic/control/README.md as the driver netdevsim takes it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

// A line for the file "faults" of a port (kernel-config/netdevsim).
struct NetdevsimRule {
    unsigned port = 0;  // 0 = under test, 1 = its peer
    std::string line;
};

// A standing rule is not taken out by "clear", as those of --fault. Any text may be given: EINVAL
// says which field is wrong.
Result<NetdevsimRule> netdevsim_rule(const std::string& json, uint32_t id, bool standing = false);

}  // namespace zcrxlab
