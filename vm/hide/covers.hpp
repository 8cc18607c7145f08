// Covers: mounts over places, in a mount namespace that nobody else sees.
#pragma once

#include <filesystem>
#include <span>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Moves this process, which has one thread, into a mount namespace of its own in which each of
// `places` is empty: a folder without entries, a file without content. Not as root, that takes a
// user namespace, in which we stay who we are, and all other users are nobody. EPERM where this
// machine allows neither.
Result<void> cover(std::span<const std::filesystem::path> places);

}  // namespace zcrxlab
