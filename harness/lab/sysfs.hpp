// Reading /sys and /proc: attributes, links and folders; what is not there, or cannot be read, is
// empty.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace zcrxlab {

// All of a file.
std::string sysfs_bytes(const std::filesystem::path& file);
// Without the newline at its end.
std::string sysfs_text(const std::filesystem::path& file);
// 0 for what is no number.
long sysfs_number(const std::filesystem::path& file);
// The last name of what a symbolic link points to.
std::string sysfs_link(const std::filesystem::path& link);
// Sorted.
std::vector<std::string> sysfs_names(const std::filesystem::path& folder);

}  // namespace zcrxlab
