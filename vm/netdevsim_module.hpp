// Where kernel-config/netdevsim/build has put netdevsim for a kernel.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/result.hpp"
#include "vm/kernel/kernel.hpp"

namespace zcrxlab {

// Targets whose NICs are simulated inside the guest: "netdevsim" with our patches, and
// "netdevsim-stock" without.
bool is_simulated(const std::string& nic);

// The module for this kernel and one of these targets. ENOENT says how to build it.
Result<std::filesystem::path> find_netdevsim(const Kernel& kernel, const std::string& nic);

}  // namespace zcrxlab
