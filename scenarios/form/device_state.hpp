// DeviceState: what an emulated NIC counts, asked over its control channel.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "scenarios/form/scene.hpp"

namespace zcrxlab {

// Counters of a port (0 = under test, 1 = its peer) by name: "rx_packets", "rx1_packets" ...
std::map<std::string, uint64_t> device_counters(Scene& scene, unsigned port = 0);

// Packets that fault rules have touched since they were put in.
uint64_t fault_hits(Scene& scene);

}  // namespace zcrxlab
