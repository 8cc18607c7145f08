// Guest networking: the two ports of a pair, one of them in a network namespace of its own.
#pragma once

#include <string>

#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// Loopback up, no duplicate address detection (it would cost a second), in this namespace.
Result<void> prepare_namespace();

struct PairInterfaces {
    std::string receiver;
    std::string peer;  // inside GuestPair::peer_netns
};

// Waits for both ports, moves the peer's into a new namespace, gives addresses, sets both up and
// waits until they carry. ETIMEDOUT names the port whose driver did not bind or that has no link.
Result<PairInterfaces> configure_pair(const GuestPair& pair);

}  // namespace zcrxlab
