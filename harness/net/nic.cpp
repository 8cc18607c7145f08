// Makes each change in this order: read what is now, register the undo, change.
#include "harness/net/nic.hpp"

#include <algorithm>
#include <cerrno>
#include <set>

#include "harness/net/driver.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kRules = "rx-ntuple-filter";

// Some drivers refuse to switch header split off, and do it when they are left the choice
// (bnxt_set_ringparam and fbnic_set_ringparam of Linux 7.3).
Result<void> set_rings(Ethtool& ethtool, RingSizes rings) {
    auto done = ethtool.set_rings(rings);
    if (done || rings.data_split != DataSplit::kDisabled || done.error().code != EINVAL)
        return done;
    rings.data_split = DataSplit::kUnknown;
    return ethtool.set_rings(rings) ? Result<void>() : done;
}

}  // namespace

Result<Nic> Nic::open(const std::string& interface, UndoStack& undo) {
    Nic nic(interface, undo);
    auto ethtool = Ethtool::open(interface);
    if (!ethtool) return ethtool.error();
    auto netdev = Netdev::open(interface);
    if (!netdev) return netdev.error();
    auto steering = FlowSteering::open(interface);
    if (!steering) return steering.error();
    auto links = Links::open();
    if (!links) return links.error();
    nic.ethtool_ = std::make_shared<Ethtool>(std::move(*ethtool));
    nic.netdev_ = std::make_shared<Netdev>(std::move(*netdev));
    nic.steering_ = std::make_shared<FlowSteering>(std::move(*steering));
    nic.links_ = std::make_shared<Links>(std::move(*links));
    return nic;
}

Result<void> Nic::set_data_split(DataSplit split) {
    auto before = ethtool_->rings();
    if (!before) return before.error();
    if (!before->data_split) {
        return Error{EOPNOTSUPP, "the driver of " + interface_ +
                                     " has no header split; type: ethtool -g " + interface_};
    }
    const bool wants_threshold =
        split == DataSplit::kEnabled && before->hds_thresh.value_or(0) != 0;
    RingSizes wanted;
    wanted.data_split = split;
    if (*before->data_split == split && !wants_threshold) {
        // That it is on proves nothing: bnxt says so wherever it has aggregation rings, as with
        // large frames (bnxt_get_ringparam). The kernel knows what was asked for last, and asks
        // the driver for nothing if that is the same (ethnl_set_rings).
        return split == DataSplit::kEnabled ? set_rings(*ethtool_, wanted) : Result<void>();
    }
    // Drivers without a threshold refuse even the number they would have.
    if (wants_threshold) wanted.hds_thresh = 0;
    if (auto done = set_rings(*ethtool_, wanted); !done) return done;
    undo_->push("header split of " + interface_,
                [ethtool = ethtool_, old = *before, wants_threshold]() -> Result<void> {
                    RingSizes back;
                    back.data_split = old.data_split;
                    if (wants_threshold) back.hds_thresh = old.hds_thresh;
                    return set_rings(*ethtool, back);
                });
    if (changed && *before->data_split != split) changed("split", split == DataSplit::kEnabled);
    return {};
}

Result<void> Nic::enable_header_split() {
    return set_data_split(DataSplit::kEnabled);
}
Result<void> Nic::disable_header_split() {
    return set_data_split(DataSplit::kDisabled);
}

Result<void> Nic::set_queues(uint32_t count) {
    auto before = ethtool_->channels();
    if (!before) return before.error();
    Channels wanted, back;
    if (before->combined.value_or(0) != 0) {
        if (before->combined == count) return {};
        wanted.combined = count;
        back.combined = before->combined;
    } else if (before->rx && before->tx) {
        if (before->rx == count && before->tx == count) return {};
        wanted.rx = wanted.tx = count;
        back.rx = before->rx;
        back.tx = before->tx;
    } else {
        return Error{EOPNOTSUPP, "the driver of " + interface_ +
                                     " does not tell its queues; type: ethtool -l " + interface_};
    }
    if (auto done = ethtool_->set_channels(wanted); !done) return done;
    undo_->push("queues of " + interface_,
                [ethtool = ethtool_, back] { return ethtool->set_channels(back); });
    if (changed) changed("queues", count);
    return {};
}

Result<void> Nic::set_combined_channels(uint32_t count) {
    auto channels = ethtool_->channels();
    if (!channels) return channels.error();
    if (channels->combined.value_or(0) == 0)
        return Error{EOPNOTSUPP, "the driver of " + interface_ + " has no combined channels"};
    return set_queues(count);
}

Result<void> Nic::set_ring_sizes(uint32_t rx, uint32_t tx) {
    auto before = ethtool_->rings();
    if (!before) return before.error();
    RingSizes wanted, back;
    if (rx != 0 && before->rx != rx) {
        wanted.rx = rx;
        back.rx = before->rx;
    }
    if (tx != 0 && before->tx != tx) {
        wanted.tx = tx;
        back.tx = before->tx;
    }
    if (!wanted.rx && !wanted.tx) return {};
    if (auto done = ethtool_->set_rings(wanted); !done) return done;
    undo_->push("ring sizes of " + interface_,
                [ethtool = ethtool_, back] { return ethtool->set_rings(back); });
    if (changed && wanted.rx) changed("rx", rx);
    return {};
}

Result<void> Nic::set_feature(const std::string& name, bool on) {
    auto before = ethtool_->features();
    if (!before) return before.error();
    const auto state = before->active.find(name);
    if (state == before->active.end()) {
        return Error{EOPNOTSUPP,
                     interface_ + " has no feature " + name + "; type: ethtool -k " + interface_};
    }
    if (state->second == on) return {};
    if (auto done = ethtool_->set_feature(name, on); !done) return done;
    undo_->push("feature " + name + " of " + interface_,
                [ethtool = ethtool_, name, on] { return ethtool->set_feature(name, !on); });
    return {};
}

Result<uint32_t> Nic::add_rule(const FlowRule& rule) {
    // Drivers take rules only while it is on; turning it off takes all of them out again.
    auto features = ethtool_->features();
    if (!features) return features.error();
    const auto& changeable = features->changeable;
    if (std::find(changeable.begin(), changeable.end(), kRules) != changeable.end()) {
        if (auto on = set_feature(kRules, true); !on) return on.error();
    }
    auto location = steering_->add_rule(rule);
    if (!location) return location;
    undo_->push("flow rule " + std::to_string(*location) + " of " + interface_,
                [steering = steering_, at = *location] { return steering->remove_rule(at); });
    return location;
}

Result<void> Nic::set_rss(const Rss& rss) {
    auto before = steering_->rss();
    if (!before) return before.error();
    auto channels = ethtool_->channels();
    if (!channels) return channels.error();
    if (auto done = steering_->set_rss(rss); !done) return done;

    // Where the table was the default one, it is reset: a table written by hand keeps the kernel
    // from changing it with the number of channels.
    const uint32_t queues = std::max(1U, channels->receive());
    bool was_default = true;
    for (size_t i = 0; i < before->table.size(); ++i)
        was_default = was_default && before->table[i] == i % queues;
    const bool key_changes = !rss.key.empty() && rss.key != before->key;
    undo_->push("RSS of " + interface_,
                [steering = steering_, old = *before, was_default, key_changes]() -> Result<void> {
                    Rss back;
                    if (!was_default) back.table = old.table;
                    if (key_changes) back.key = old.key;
                    if (!back.table.empty() || !back.key.empty()) {
                        if (auto done = steering->set_rss(back); !done) return done;
                    }
                    return was_default ? steering->reset_rss() : Result<void>();
                });
    return {};
}

Result<void> Nic::spread_over_first(uint32_t queues) {
    if (queues == 0) return Error{EINVAL, "flows cannot be spread over no queue"};
    auto before = steering_->rss();
    if (!before) return before.error();
    Rss wanted;
    for (size_t i = 0; i < before->table.size(); ++i)
        wanted.table.push_back(static_cast<uint32_t>(i % queues));
    if (wanted.table == before->table) return {};
    return set_rss(wanted);
}

Result<void> Nic::set_up(bool up) {
    auto before = links_->get(interface_);
    if (!before) return before.error();
    if (before->up == up) return {};
    if (auto done = links_->set_up(interface_, up); !done) return done;
    undo_->push("state of " + interface_,
                [links = links_, name = interface_, up] { return links->set_up(name, !up); });
    return {};
}

Result<void> Nic::set_mtu(uint32_t mtu) {
    auto before = links_->get(interface_);
    if (!before) return before.error();
    if (before->mtu == mtu) return {};
    if (auto done = links_->set_mtu(interface_, mtu); !done) return done;
    undo_->push("MTU of " + interface_, [links = links_, name = interface_, old = before->mtu] {
        return links->set_mtu(name, old);
    });
    if (changed) changed("mtu", mtu);
    return {};
}

Result<void> Nic::set_copybreak(uint32_t bytes) {
    auto before = rx_copybreak(interface_);
    if (!before) return before.error();
    if (*before == bytes) return {};
    if (auto done = set_rx_copybreak(interface_, bytes); !done) return done;
    undo_->push("rx-copybreak of " + interface_,
                [name = interface_, old = *before] { return set_rx_copybreak(name, old); });
    return {};
}

std::vector<std::string> difference(const std::vector<std::string>& before,
                                    const std::vector<std::string>& after) {
    const std::multiset<std::string> old(before.begin(), before.end());
    const std::multiset<std::string> now(after.begin(), after.end());
    std::vector<std::string> lines;
    for (const std::string& line : before) {
        if (now.count(line) < old.count(line)) lines.push_back("- " + line);
    }
    for (const std::string& line : after) {
        if (old.count(line) < now.count(line)) lines.push_back("+ " + line);
    }
    return lines;
}

}  // namespace zcrxlab
