// Kernel headers: what a module for the standard kernel is built with.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// A folder with Debian's headers and kbuild of a kernel (as find_kernel() takes it; empty: the
// standard one), as unpacked below it (usr/src, usr/lib), and a C library on which kbuild's
// programs run; from the cache or fetched into it (about 20 MB). The folder is called as the
// kernel's release. ENOENT if there are none.
Result<std::filesystem::path> find_kernel_headers(const std::string& wanted,
                                                  const Progress& progress);

}  // namespace zcrxlab
