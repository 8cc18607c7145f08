// liburing's source: Debian's newest source package, for the tests that come with it and for
// programs that need a newer liburing than the machine has.
#pragma once

#include <filesystem>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The unpacked source, from the cache or fetched into it (about 0.6 MB). Not to be written to.
Result<std::filesystem::path> find_liburing_source(const Progress& progress);

}  // namespace zcrxlab
