// Huge pages of the machine, reserved for a scenario.
#pragma once

#include <cstdint>

#include "harness/ring/ifq.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

inline constexpr uint64_t kHugePageSize = 2U << 20;

// Reserves so many pages of 2 MiB until the scenario ends; the scenario ends if there is no room.
void reserve_until_end(Scene& scene, uint64_t pages);

// Gives the request an area of `total` bytes in which `pages` of these appear again and again: the
// address space is large, the memory is not.
void repeat_huge_pages(Scene& scene, IfqRequest& request, uint64_t pages, uint64_t total);

}  // namespace zcrxlab
