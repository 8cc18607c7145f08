// Target: where a scenario runs. It says what it can do, and a scenario that needs more is skipped.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/faults/fault_rule.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// What a target can do; found by trying, never by a version.
struct Abilities {
    bool zero_copy = false;     // has a NIC with a queue that zcrx can take
    bool dma_log = false;       // can tell what the device wrote (I4)
    bool faults = false;        // takes fault rules
    bool outages = false;       // loses its link and is reset at command
    bool flow_rules = false;    // ethtool n-tuple rules
    bool header_split = false;  // tcp-data-split can be turned on
    bool emulated = false;  // a device of ours behind a stock driver, which it can be asked about
    uint32_t queues = 0;    // receive queues of the receiving interface
};

// The receiving interface and its peer.
struct Endpoints {
    std::string interface;       // under test; empty on `nodev` (loopback is used)
    std::string peer_interface;  // in the namespace below
    std::string peer_namespace;  // path of a network namespace; empty: this one
    std::string local_v4, local_v6, peer_v4, peer_v6;
    uint32_t first_queue = 1;  // zero-copy receive takes this one and those behind it
    // Others may use the card: what disturbs them (reset, removal, loss of the link) is left out.
    bool shared = false;
};

class Target {
  public:
    virtual ~Target() = default;

    virtual std::string name() const = 0;
    virtual const Abilities& abilities() const = 0;
    virtual const Endpoints& endpoints() const = 0;

    // Log entries since the last call. ENOTSUP without the ability.
    virtual Result<DmaWrites> take_dma_log() = 0;
    // Adds a fault rule; its id. ENOTSUP without the ability, EINVAL or ENOTSUP if the device
    // refuses this one.
    virtual Result<uint32_t> inject(const FaultRule& rule) = 0;
    // Takes all fault rules out again.
    virtual Result<void> clear_faults() = 0;
    // One command on the device's control channel; its JSON answer.
    virtual Result<std::string> control(const std::string& json) = 0;
    // After the driver of the interface under test was bound again: gives it the address that it
    // had and joins it with its peer, where nothing else does.
    virtual Result<void> reconnect() { return {}; }
};

// The target described by the environment of a scenario program (ZCRXLAB_TARGET, ZCRXLAB_CONTROL,
// NETIF, LOCAL_V4 ... as guest init or lab mode set them), probed. EINVAL says what is missing.
Result<std::unique_ptr<Target>> target_from_environment();

}  // namespace zcrxlab
