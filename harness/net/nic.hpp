// Nic: changes to an interface under test, each of which puts its undo on a stack.
//
// What is as wanted already is not changed and leaves no undo.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/ethtool.hpp"
#include "harness/net/flow_steering.hpp"
#include "harness/net/link.hpp"
#include "harness/net/netdev.hpp"
#include "harness/net/undo.hpp"

namespace zcrxlab {

class Nic {
  public:
    // `undo` is borrowed and must be emptied while the Nic lives.
    static Result<Nic> open(const std::string& interface, UndoStack& undo);

    Ethtool& ethtool() { return *ethtool_; }
    Netdev& netdev() { return *netdev_; }
    FlowSteering& steering() { return *steering_; }
    Links& links() { return *links_; }
    const std::string& interface() const { return interface_; }

    // tcp-data-split on, and hds-thresh 0 where the driver has it: what zcrx asks for.
    Result<void> enable_header_split();
    Result<void> disable_header_split();
    // So many receive and transmit queues: combined channels where the driver has them, else as
    // many channels of each kind.
    Result<void> set_queues(uint32_t count);
    // EOPNOTSUPP where the driver has no combined channels.
    Result<void> set_combined_channels(uint32_t count);
    Result<void> set_ring_sizes(uint32_t rx, uint32_t tx);  // 0 = leave
    Result<void> set_feature(const std::string& name, bool on);
    // The location of the new rule. Turns rx-ntuple-filter on first where it can be off.
    Result<uint32_t> add_rule(const FlowRule& rule);
    // Spreads all flows without a rule over the first `queues` queues, so that the others get
    // only what rules send there.
    Result<void> spread_over_first(uint32_t queues);
    Result<void> set_rss(const Rss& rss);
    Result<void> set_up(bool up);
    Result<void> set_mtu(uint32_t mtu);
    // Bytes; errors as of set_rx_copybreak().
    Result<void> set_copybreak(uint32_t bytes);

    // Called with each setting that was changed: "mtu", "rx" (ring entries), "queues" or "split"
    // (1 = on), and its new value.
    std::function<void(std::string_view setting, uint64_t value)> changed = {};

    // The whole configuration as text lines that can be compared: two snapshots of an unchanged
    // NIC are equal. What the driver does not have is said so in its line.
    std::vector<std::string> snapshot();

  private:
    Nic(std::string interface, UndoStack& undo) : interface_(std::move(interface)), undo_(&undo) {}
    Result<void> set_data_split(DataSplit split);

    std::string interface_;
    UndoStack* undo_;
    // On the heap: undos point at them while the Nic itself may move.
    std::shared_ptr<Ethtool> ethtool_;
    std::shared_ptr<Netdev> netdev_;
    std::shared_ptr<FlowSteering> steering_;
    std::shared_ptr<Links> links_;
};

// The lines that are only in one of two snapshots, with "- " or "+ " in front; empty if equal.
std::vector<std::string> difference(const std::vector<std::string>& before,
                                    const std::vector<std::string>& after);

}  // namespace zcrxlab
