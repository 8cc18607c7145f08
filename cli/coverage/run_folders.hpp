// Where a run leaves what its kernel has counted.
#pragma once

#include <filesystem>
#include <vector>

namespace zcrxlab {

inline constexpr const char* kProfilesOfRun = "profile.jsonl";

// The folder of a run and those of its VMs, of which some are there.
std::vector<std::filesystem::path> places_of_vms(const std::filesystem::path& folder);

}  // namespace zcrxlab
