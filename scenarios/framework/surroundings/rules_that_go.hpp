// Flow rules that go with their device, before the scenario ends.
#pragma once

#include <cstdint>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Whether the NIC of the scene has a rule at this location.
bool has_rule(Scene& scene, uint32_t location);

// Steers TCP packets to this destination port to a queue until the scenario ends, or the device
// forgets it. The location of the rule.
uint32_t steer_until_gone(Scene& scene, uint16_t port, uint32_t queue);

}  // namespace zcrxlab
