// Huge pages of the machine, reserved for a scenario.
#pragma once

#include <cstdint>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

inline constexpr uint64_t kHugePageSize = 2U << 20;

// Reserves so many pages of 2 MiB until the scenario ends; the scenario ends if there is no room.
void reserve_until_end(Scene& scene, uint64_t pages);

}  // namespace zcrxlab
