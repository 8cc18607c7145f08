// The pair of simulated NICs that the driver netdevsim makes inside the guest.
#pragma once

#include <string>

#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// Whether the pair is made by netdevsim, not found on the PCI bus.
bool is_netdevsim(const GuestPair& pair);

// Makes both devices, each with 16 queues of which 4 are in use.
Result<void> create_netdevsim(const GuestPair& pair);

// Joins `receiver`, of this network namespace, and `peer`, of the one behind the descriptor.
Result<void> link_netdevsim(const std::string& receiver, const std::string& peer, int peer_netns);

// Gives the pair a fault rule; EINVAL if its driver does not take it.
Result<void> add_netdevsim_fault(const GuestPair& pair, const GuestFault& fault);

// Where the devices of that driver are, /sys/bus/netdevsim/devices.
extern const char* const kNetdevsimDevices;

}  // namespace zcrxlab
