// DeviceState: what an emulated NIC counts, its link, and settings of a NIC that few scenarios
// change.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Counters of a port (0 = under test, 1 = its peer) by name: "rx_packets", "rx1_packets" ...
std::map<std::string, uint64_t> device_counters(Scene& scene, unsigned port = 0);

// Packets that fault rules have touched since they were put in.
uint64_t fault_hits(Scene& scene);
// The same for each rule, in the order in which they were put in.
std::vector<uint64_t> fault_hits_of_each(Scene& scene);

// The link of an emulated NIC: away until the scenario ends, or back before.
void set_link(Scene& scene, bool up);

// How often the link of the interface under test has been lost since the interface was made: some
// drivers start their whole NIC again where others change a queue.
uint32_t carrier_losses(Scene& scene);

// From here on, until the scenario ends, the device of the port under test answers `count` commands
// of its driver with an error (nic/control/README.md: command_fault). Only of an emulated NIC.
void refuse_commands(Scene& scene, const std::string& command, uint64_t count);
// The same, but that it answers none, whatever they ask, until answer_commands() or the scenario's
// end.
void leave_commands_unanswered(Scene& scene);
void answer_commands(Scene& scene);
// How many it has refused, or left unanswered, so.
uint64_t commands_refused(Scene& scene);

// Lets the NIC put pieces of several packets into one buffer, `bytes` apart, until the scenario
// ends. False where it cannot be asked to.
bool pack_packets(Scene& scene, uint32_t bytes);

// Sets rx-buf-len (bytes) until the scenario ends. False where the driver has no such setting.
bool use_receive_buffers(Scene& scene, uint32_t bytes);

}  // namespace zcrxlab
