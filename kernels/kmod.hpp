// Kmod: the programs that list a kernel's modules and load them, and the folder that they read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"

namespace zcrxlab {

// Words that are put before arguments.
struct Kmod {
    std::vector<std::string> depmod, modprobe;
};

// The system's kmod, or the cache's, which is fetched where there is none.
Result<Kmod> find_kmod(const Progress& progress);

// The folder that stands for /lib/modules/RELEASE: with kernel/ and what depmod makes of it. A
// kernel that was installed has one; for one of the cache it is made once, and for any other in
// `scratch` each time, for it may have been built anew. ENOENT if its modules are not at hand.
Result<std::filesystem::path> modules_for_modprobe(const Kernel& kernel, const Kmod& kmod,
                                                   const std::filesystem::path& scratch,
                                                   const Progress& progress);

}  // namespace zcrxlab
