// patched_tree: what a kernel is built from whose fragments name patches.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/build/source_patch.hpp"

namespace zcrxlab {

// All that the fragments name with a line "# patches: FOLDER", a folder beside the fragment:
// fragment by fragment, and in the order of their names. ENOENT if such a folder has none.
Result<std::vector<SourcePatch>> patches_of(const std::vector<std::filesystem::path>& fragments);

// `tree` where the fragments name no patches, else `twin`, which is made anew from `tree` with
// them. A source that is what it was in the last twin is no newer than that one, so that it is not
// compiled again. EINVAL names the patch that does not fit; errors of check_source_tree(), too.
Result<std::filesystem::path> patched_tree(const std::filesystem::path& tree,
                                           const std::vector<std::filesystem::path>& fragments,
                                           const std::filesystem::path& twin);

}  // namespace zcrxlab
