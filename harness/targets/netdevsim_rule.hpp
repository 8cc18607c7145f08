// NetdevsimRule: a fault rule as the driver netdevsim takes it, and the rules that it cannot take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"

namespace zcrxlab {

// Bytes of a line, as the buffer of nsim_faults_write() holds them.
inline constexpr size_t kMaximumNetdevsimLine = 255;
// Rules that a port holds (NSIM_FAULT_RULES_MAX of kernel-config/netdevsim); more are ENOSPC there.
inline constexpr size_t kMaximumNetdevsimRules = 64;

// A line for the file "faults" of a port (kernel-config/netdevsim).
struct NetdevsimRule {
    unsigned port = 0;  // 0 = under test, 1 = its peer
    std::string line;
};

// `id` must be from 1 to INT32_MAX. A standing rule is not taken out by "clear", as those of
// --fault. EINVAL for what is no rule on any device, ENOTSUP with the reason for what this one
// cannot do.
Result<NetdevsimRule> netdevsim_rule(const FaultRule& rule, uint32_t id, bool standing = false);

}  // namespace zcrxlab
