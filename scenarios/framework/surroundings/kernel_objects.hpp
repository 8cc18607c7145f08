// KernelObjects: whether what is done again and again leaves a part of the kernel's memory behind
// each time.
//
// Counts what is allocated of the caches that io_uring takes its objects from, and of those of
// processes' memory and of users, which an instance holds (/proc/slabinfo, which root may read, and
// kernels with CONFIG_SLUB_DEBUG have; Documentation/filesystems/proc.rst). What is too large for a
// cache (8 KiB and more) is counted nowhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

inline constexpr const char* kSlabInfo = "/proc/slabinfo";

// Does it often, in rounds, and fails the scenario if a cache grew in each round by at least one
// object for every second time, and still has them when a bound is over: what others do on the same
// machine does not keep that pace. Rounds in which so many threads came to the machine that these
// may have the objects are done again, a few times. `name` is what was done, for the report. Ends
// the scenario where the kernel does not tell of its objects.
void expect_leaves_no_objects(Scene& scene, const std::string& name, uint32_t times,
                              const std::function<void()>& once);

}  // namespace zcrxlab
