// Kernels that are on this machine already: files, folders, the system's own.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

// The kernel in the image `file`; its modules are looked for where packages, `make install` and
// build trees have them. EINVAL if it is no bzImage.
Result<Kernel> kernel_from_image(const std::filesystem::path& file, const Cache& cache);

// The kernel in `folder`: a build tree, an unpacked package (the newest, if there are several), or
// a modules folder with its vmlinuz. ENOENT if there is none.
Result<Kernel> kernel_from_folder(const std::filesystem::path& folder, const Cache& cache);

// The kernels installed below `root` ("/"), oldest first; those that may not be read are left out.
std::vector<Kernel> installed_kernels(const std::filesystem::path& root);

// Whether `kernel` has the driver `module`, as a module or built in.
bool has_driver(const Kernel& kernel, std::string_view module);

// Whether a kernel of the system is good enough to be taken without being asked for: new enough for
// the driver of the default NIC, and has it.
bool serves_as_standard(const Kernel& kernel);

}  // namespace zcrxlab
