// NetdevsimDevice: a simulated NIC of the driver netdevsim with our patches
// (kernel-config/netdevsim), which logs its writes and takes fault rules through debugfs.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "harness/target/netdevsim_log.hpp"

namespace zcrxlab {

class NetdevsimDevice {
  public:
    // The device behind an interface of this network namespace; the other device is its peer.
    // Without our patches there is no log and there are no faults.
    static Result<NetdevsimDevice> open(const std::string& interface);

    bool has_log() const { return log_.has_value(); }
    bool takes_faults() const { return faults_; }
    // Log entries since the last call, or since it was opened.
    Result<DmaWrites> take_dma_log();
    // The id of the rule. EINVAL for what is none, ENOTSUP for what this device cannot do.
    Result<uint32_t> inject(const std::string& rule);
    Result<void> clear_faults();
    // Commands of the control channel (vm/nic/control/README.md): "ping", "fault", "faults",
    // "clear" and "counters"; ENOTSUP for the others.
    Result<std::string> control(const std::string& json);

  private:
    Result<std::string> list_faults();
    Result<std::string> read_counters();

    std::array<std::string, 2> ports_;  // folders of debugfs: the receiver's and its peer's
    std::optional<NetdevsimLog> log_;
    bool faults_ = false;
    uint32_t last_rule_ = 0;
};

// A fault rule in JSON as the driver takes it, with the port it is for.
struct NetdevsimRule {
    unsigned port = 0;
    std::string line;
};
Result<NetdevsimRule> netdevsim_rule(const std::string& json, uint32_t id);

}  // namespace zcrxlab
