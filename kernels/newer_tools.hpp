// Newer tools: a root folder of Debian's newest ethtool, iproute2, Python and what else the
// kernel's selftests call, where this machine's are too old for them.
#pragma once

#include <filesystem>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The folder, to be the root of programs in a guest; also with the kernel's and libbpf's headers.
// From the cache, or fetched into it (120 MB). Not to be written to.
Result<std::filesystem::path> find_newer_tools(const Progress& progress);

}  // namespace zcrxlab
