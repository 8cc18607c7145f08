// Modules of kernels whose image Debian's lists name, and whose modules they do not name any more.
//
// The image is checked by apt as ever. Its modules lie on the mirror still, and nothing proves what
// is in their packages. So of those only modules are taken, and lists of them; and the kernel is
// started so that it loads nothing that was not signed with the key that it was built with
// (module.sig_enforce in Documentation/admin-guide/kernel-parameters.txt). What is changed in one
// is then an error of the guest, and never runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packages/apt.hpp"
#include "kernels/packages/cache.hpp"
#include "kernels/release.hpp"

namespace zcrxlab {

// The kernel parameter. Whatever stands behind it, a kernel does not take it back.
inline constexpr const char* kOnlySignedModules = "module.sig_enforce=1";

// Fetches the unlisted packages of `kernel`, and puts the modules of `release` below `set`. The
// caller holds the cache's lock. ENOENT if the mirror has them no longer.
Result<void> add_unlisted_modules(const Cache& cache, PrivateApt& apt, const PackagedKernel& kernel,
                                  const std::string& release, const std::filesystem::path& set,
                                  const Progress& progress);

// Moves modules and lists of them from an unpacked package to a set, and nothing else: no file that
// is one of neither, no link, and none of another release. EINVAL if there is none.
Result<void> take_modules(const std::filesystem::path& unpacked, const std::string& release,
                          const std::filesystem::path& set);

// Whether the modules of a kernel have come so, wherever it is found.
bool has_unlisted_modules(const Kernel& kernel);

}  // namespace zcrxlab
