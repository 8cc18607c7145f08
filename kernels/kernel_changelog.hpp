// Kernel changelogs: what Debian says a kernel has that the one before had not.
#pragma once

#include <string>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// The text of debian/changelog of the stock kernel `name` ("7.3.4"), from the cache or fetched into
// it (about 1 MB). ENOENT if there is none: up to 6.18 the mirror has no package that holds it, and
// of 6.19, 7.0 and 7.1 no signed list names that package.
Result<std::string> find_kernel_changelog(const std::string& name, const Progress& progress);

}  // namespace zcrxlab
