// Action files: lists of actions on this machine, checked before a VM is started for them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// Where they lie in the guest.
inline constexpr const char* kActionsInGuest = "/actions";
inline constexpr const char* kActionsSuffix = ".actions";

// The list in a file; the error names the file.
Result<ActionList> read_actions(const std::filesystem::path& path);

// Content and place in the guest of a list, or of each *.actions below a folder.
Result<std::vector<std::pair<std::string, std::string>>> action_files(
    const std::filesystem::path& path);

}  // namespace zcrxlab
