// DriverRow: what one driver asks for before it takes zero-copy receive, and in which order. The
// one place where drivers are known by name; an unknown one is probed by trying.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/net/ethtool.hpp"

namespace zcrxlab {

// Kinds of settings.
enum class Setting {
    kPrivateFlags,  // ethtool --set-priv-flags
    kChannels,      // ethtool -L
    kFeatures,      // ethtool -K
    kRings,         // ethtool -G: sizes, header split and its threshold in one request
    kLink,          // up or down, and the MTU
    kRss,           // ethtool -X
    kRules,         // ethtool -N
    kAddresses,     // ip address
};

struct WantedFlag {
    std::string_view name;
    bool on;
};

struct DriverRow {
    std::string_view driver;  // as ethtool -i says; empty: any other
    // Of the PCI functions that it drives, "0x14e4"; empty: not known.
    std::string_view vendor;
    // From nothing to a NIC that is ready; the way back is the reverse.
    std::vector<Setting> order;
    // Set where the driver has them; those it does not have are left out.
    std::vector<WantedFlag> private_flags;
    std::vector<WantedFlag> features;
    // Entries of the receive ring; 0 leaves it.
    uint32_t rx_ring = 0;
    // hds-thresh 0 is part of the request; a driver without the threshold refuses even the 0.
    bool threshold = true;
    // What a split that is "off" is switched to on the way back: some refuse "off".
    DataSplit split_off = DataSplit::kDisabled;
    // The driver says that the split is on before anybody switched it on: it is switched on in any
    // case, and back to "auto".
    bool split_claims_on = false;
    // A virtual function cannot do it.
    bool physical_only = false;
    // Its ports have the id of a switch (phys_switch_id) in whatever mode the card is.
    bool always_has_switch_id = false;
    // Queues from 0 on that zero-copy receive cannot take.
    uint32_t queues_kept = 0;
    // What a person should know.
    std::string_view note;
};

// The row of a driver; that of any other if there is none.
const DriverRow& driver_row(std::string_view driver);
// The row of the driver that takes network functions of this vendor; that of any other if there is
// none.
const DriverRow& driver_row_of_vendor(std::string_view vendor);
// All of them, the unknown one last.
std::span<const DriverRow> driver_rows();

}  // namespace zcrxlab
