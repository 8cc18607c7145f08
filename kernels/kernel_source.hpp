// Kernel sources: Debian's source package of a kernel series, for the programs that come with it.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The tar archive with the source of `series` ("7.3"; empty: the standard one), from the cache or
// fetched into it (about 170 MB). ENOENT if Debian has none of that series.
Result<std::filesystem::path> find_kernel_source(const std::string& series,
                                                 const Progress& progress);

}  // namespace zcrxlab
