// Finds the netdevsim module that kernel-config/netdevsim/build builds for a kernel, or has it
// built.
#pragma once

#include <filesystem>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "harness/nics/nic_table.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

// The module of this kernel for a NIC that it simulates, with our patches or without. ENOENT says
// how to build it.
Result<std::filesystem::path> find_netdevsim(const Kernel& kernel, const NicRow& nic);

// The same; where it is not there, it is built, which takes a minute and fetches the kernel's
// source and headers where those are not there.
Result<std::filesystem::path> netdevsim_for(const Kernel& kernel, const NicRow& nic,
                                            const Progress& progress);

}  // namespace zcrxlab
