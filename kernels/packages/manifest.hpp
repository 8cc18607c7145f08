// Manifest: what the files of an unpacked package set were like when they were whole.
//
// A cache outlives power cuts, full disks and people who look for space. What it holds is run as
// our QEMU and our kernel, so that damage would look like a failure of either.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// In the folder of the set.
inline constexpr const char* kManifest = "files.txt";

struct ManifestEntry {
    bool link = false;
    std::string content = {};  // of a file its SHA-256, 64 hexadecimal digits; of a link its target
    uint64_t size = 0;         // of a file, bytes
    std::string time = {};     // of a file's last change: "SECONDS.NANOSECONDS"
    std::string path = {};     // relative to the folder
};

// A manifest as text, and back: nothing if the text is not a whole one.
std::string manifest_text(const std::vector<ManifestEntry>& entries);
std::optional<std::vector<ManifestEntry>> manifest_from_text(std::string_view text);

// Writes the manifest of what is in `folder` now.
Result<void> write_manifest(const std::filesystem::path& folder);

enum class Look {
    kSizesAndTimes,  // milliseconds; a file with another time is read
    kWhole,          // each file is read
};
// Whether all in `folder` is as it was written down. EIO with a sentence that names a file that is
// not. A set that was fetched before there were manifests gets one of what it is now.
Result<void> check_manifest(const std::filesystem::path& folder, Look look);

// The set is found damaged by each later look.
void mark_damaged(const std::filesystem::path& folder);

}  // namespace zcrxlab
