// Change: one step from one state of a NIC to another; as data, as the command that a person would
// type, and done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/driver_table.hpp"
#include "harness/lab/settings.hpp"

namespace zcrxlab {

struct SetPrivateFlag {
    std::string name;
    bool on = false;
    bool operator==(const SetPrivateFlag&) const = default;
};
struct SetFeature {
    std::string name;
    bool on = false;
    bool operator==(const SetFeature&) const = default;
};
// Only asked for: another setting may forbid it now.
struct RequestFeature {
    std::string name;
    bool on = false;
    bool operator==(const RequestFeature&) const = default;
};
struct SetChannels {
    Channels channels;
    bool operator==(const SetChannels&) const = default;
};
struct SetRings {
    RingSizes rings;
    bool operator==(const SetRings&) const = default;
};
struct SetRss {
    Rss rss;                // empty members stay as they are
    bool defaults = false;  // the driver's own table
    bool operator==(const SetRss&) const = default;
};
struct AddRule {
    uint32_t location = 0;
    std::vector<std::byte> rule;  // struct ethtool_rx_flow_spec
    bool operator==(const AddRule&) const = default;
};
struct RemoveRule {
    uint32_t location = 0;
    bool operator==(const RemoveRule&) const = default;
};
struct SetMtu {
    uint32_t mtu = 0;
    bool operator==(const SetMtu&) const = default;
};
struct SetLink {
    bool up = false;
    bool operator==(const SetLink&) const = default;
};
struct AddAddress {
    std::string address;  // "192.0.2.1/24"
    bool operator==(const AddAddress&) const = default;
};
struct RemoveAddress {
    std::string address;
    bool operator==(const RemoveAddress&) const = default;
};

using Change =
    std::variant<SetPrivateFlag, SetFeature, RequestFeature, SetChannels, SetRings, SetRss, AddRule,
                 RemoveRule, SetMtu, SetLink, AddAddress, RemoveAddress>;

// "ethtool -G eth1 tcp-data-split on".
std::string command_of(const Change& change, const std::string& interface);
// Of an interface of this namespace.
Result<void> apply(const Change& change, const std::string& interface);

// In bytes: scenarios make frames of their own as large as Ethernet has them by default.
inline constexpr uint32_t kLeastMtu = 1500;

// What makes a NIC ready for the scenarios: the driver's wishes, so many queues, an MTU of
// kLeastMtu or more, up, all flows on the queues before `first_queue`, and these addresses.
NicSettings ready_for_scenarios(const NicSettings& now, const DriverRow& driver, uint32_t queues,
                                uint32_t first_queue, const std::vector<std::string>& addresses);

// In the driver's order.
std::vector<Change> changes_to(const NicSettings& now, const NicSettings& wanted,
                               const DriverRow& driver);
// In the reverse of it.
std::vector<Change> changes_back(const NicSettings& now, const NicSettings& before,
                                 const DriverRow& driver);

}  // namespace zcrxlab
