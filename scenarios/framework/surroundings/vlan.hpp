// A VLAN on top of an interface, for a scenario.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

struct VlanPlan {
    std::string space;    // path of a network namespace; empty for this one
    std::string lower;    // the interface that has the tags
    std::string name;     // of the new interface
    uint16_t id = 0;      // 1 to 4094
    std::string address;  // IPv4, in a network of 24 bits
    uint32_t mtu = 1500;  // bytes
};

// Up, until the scenario ends. False where the kernel has no VLANs (module 8021q).
bool add_vlan(Scene& scene, const VlanPlan& plan);

}  // namespace zcrxlab
