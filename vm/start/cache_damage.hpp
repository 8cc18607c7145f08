// Cache damage: a guest that died without a word may have been started from files that are not what
// was fetched.
#pragma once

#include <string>

#include "vm/start/prepare.hpp"

namespace zcrxlab {

// Reads each file of the cache's QEMU and kernel, where `vm` has them from there. What is damaged
// is marked, so that whoever needs it next fetches it anew; a sentence for each. Empty if all is
// whole. That takes as long as the disk does, so `progress` says first that it begins.
std::string find_cache_damage(const PreparedVm& vm, const Progress& progress);

}  // namespace zcrxlab
