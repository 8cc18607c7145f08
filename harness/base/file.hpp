// Whole files: read with a bound, written with every error noticed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/result.hpp"

namespace zcrxlab {

// More than any file of ours has.
inline constexpr size_t kLargestFile = size_t{1} << 30;

// All bytes of a file, also of one that tells no size (procfs, sysfs, debugfs). The errno of open
// or read; EISDIR for a folder; EFBIG if it has more than `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, size_t limit = kLargestFile);

// The first bytes of a file, at most `most` of them. Errors as above, but EFBIG.
Result<std::string> read_start(const std::filesystem::path& path, size_t most);

// What is in the file; empty if it cannot be read: for files whose absence says nothing.
std::string text_of_file(const std::filesystem::path& path, size_t limit = kLargestFile);

// Makes the file hold `content` and nothing else. The errno of open, write or close.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// The same, so that whoever reads it has the old content or the new, never a part: written beside
// it and renamed. It is on the disk after a crash only if the file system likes.
Result<void> replace_file(const std::filesystem::path& path, std::string_view content);

}  // namespace zcrxlab
