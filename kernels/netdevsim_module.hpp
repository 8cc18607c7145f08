// Finds the netdevsim module that kernel-config/netdevsim/build has built for a kernel.
#pragma once

#include <filesystem>

#include "harness/base/result.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

// The module of this kernel for a NIC that it simulates, with our patches or without. ENOENT says
// how to build it.
Result<std::filesystem::path> find_netdevsim(const Kernel& kernel, const NicRow& nic);

}  // namespace zcrxlab
