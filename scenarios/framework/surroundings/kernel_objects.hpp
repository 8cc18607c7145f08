// KernelObjects: whether what is done again and again leaves a part of the kernel's memory behind
// each time.
//
// Counts what is allocated of the caches that io_uring takes its objects from (/proc/slabinfo,
// which root may read, and kernels with CONFIG_SLUB_DEBUG have;
// Documentation/filesystems/proc.rst). What is too large for a cache (8 KiB and more) is counted
// nowhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Does it often, and fails the scenario if a cache then has, for longer than a bound, at least one
// object more for every second time. `name` is what was done, for the report.
void expect_leaves_no_objects(Scene& scene, const std::string& name, uint32_t times,
                              const std::function<void()>& once);

}  // namespace zcrxlab
