// NetdevsimDevice: a simulated NIC of the driver netdevsim with our patches
// (kernel-config/netdevsim), which logs its writes, takes fault rules and breaks at command through
// debugfs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "harness/faults/fault_rule.hpp"
#include "harness/targets/netdevsim_log.hpp"

namespace zcrxlab {

class NetdevsimDevice {
  public:
    // The device behind an interface of this network namespace; the other device is its peer.
    // Without our patches there is no log, and there are no faults and no outages.
    static Result<NetdevsimDevice> open(const std::string& interface);

    bool has_log() const { return log_.has_value(); }
    bool takes_faults() const { return faults_; }
    bool has_outages() const { return outages_; }
    // Log entries since the last call, or since it was opened.
    Result<DmaWrites> take_dma_log();
    // The id of the rule. EINVAL and ENOTSUP as of netdevsim_rule().
    Result<uint32_t> inject(const FaultRule& rule);
    // Takes out all rules but the standing ones, which count from 0 again.
    Result<void> clear_faults();
    // Commands of the control channel (nic/control/README.md) but "log", "mark" and
    // "command_fault", which are ENOTSUP; and {"do":"packing","bytes":N} with patch 11: pieces of
    // packets share buffers, and lie N bytes (at most 256) apart; 0: each has one of its own.
    Result<std::string> control(const std::string& json);

  private:
    struct KnownRule {
        uint32_t id = 0;
        uint64_t seen = 0;
        uint64_t hits = 0;
    };
    std::vector<KnownRule> known_rules() const;
    Result<void> clear_fault(uint32_t id);
    Result<std::string> read_counters();

    std::array<std::string, 2> ports_;  // folders of debugfs: the receiver's and its peer's
    std::optional<NetdevsimLog> log_;
    bool faults_ = false;
    bool outages_ = false;
    uint32_t last_rule_ = 0;
};

}  // namespace zcrxlab
