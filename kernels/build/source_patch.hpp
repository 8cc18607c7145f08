// SourcePatch: a patch for a kernel tree, as far as it has to be known before it is applied.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct SourcePatch {
    std::filesystem::path file;        // absolute
    std::string title;                 // the first line of its description, or the file's name
    std::vector<std::string> sources;  // that it changes, by their path in the tree
};

// A unified diff with a leading folder ("a/", "b/") in its paths. EINVAL if it changes nothing,
// makes or removes files, or leads out of the tree.
Result<SourcePatch> parse_source_patch(std::string_view text, const std::filesystem::path& file);

}  // namespace zcrxlab
