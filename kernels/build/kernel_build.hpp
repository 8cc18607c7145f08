// KernelBuild: a kernel made from a source tree and fragments of configuration, outside that tree.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "kernels/build/build_tools.hpp"
#include "kernels/build/fragment.hpp"
#include "kernels/packages/cache.hpp"

namespace zcrxlab {

struct KernelBuildPlan {
    std::filesystem::path source;                  // a kernel tree; it is never written to
    std::filesystem::path output;                  // where everything goes, kept between builds
    std::vector<std::filesystem::path> fragments;  // later ones win
    // Objects to count executed lines in, "io_uring/zcrx.o"; those of the fragment "coverage".
    std::vector<std::string> profiled;
    unsigned jobs = 1;
    std::vector<std::string_view> tools = kernel_build_tools();  // that have to be there
    bool configure_only = false;
};

struct KernelBuildOutcome {
    std::vector<UnmetSetting> unmet;
    std::filesystem::path image;  // empty if only configured
    bool configured = false;      // the configuration was made anew, rather than kept
};

// ENOENT if that is no kernel tree, EBUSY if it holds a build of its own, which the kernel's
// makefiles refuse.
Result<void> check_source_tree(const std::filesystem::path& source);

// Configures where the fragments or the tree's Kconfig have changed, and builds what has changed.
// Errors as above; ENOENT if a tool is missing, EIO with the compiler's first complaint if the
// build fails.
Result<KernelBuildOutcome> build_kernel(const KernelBuildPlan& plan, const Progress& progress);

// Where its image is, once it was built.
std::filesystem::path image_of(const KernelBuildPlan& plan);

// Compiles one object of a kernel that build_kernel() has built, "io_uring/zcrx.o". Its bytes. EIO
// with all that the compiler says if that fails. The kernel's own object stays as it is where the
// makefiles have left the command that made it.
Result<std::string> build_object(const KernelBuildPlan& plan, const std::string& object);

// The fragment that a person called `word`: a file, or a name of kernel-config/ below `root`.
// ENOENT names those that there are.
Result<std::filesystem::path> find_fragment(const std::string& word,
                                            const std::filesystem::path& root);

// The tree for what a person said: a folder, or a series ("7.3"; empty: the standard one) whose
// source package is fetched and unpacked into the cache once.
Result<std::filesystem::path> find_source_tree(const std::string& wanted, const Cache& cache,
                                               const Progress& progress);

// Where builds without a folder of their own go; `run --kernel NAME` looks there.
std::filesystem::path built_folder(const Cache& cache, const std::string& name);

}  // namespace zcrxlab
