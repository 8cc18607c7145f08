// Vnics: what filters send frames to: each has rings that share them by a hash, and says how frames
// lie in buffers.
//
// The cable has two ends, so that every frame arrives for this port: filters of addresses choose
// nothing, and what no rule takes goes to the default VNIC.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/datapath/bnxt_rules.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"
#include "nic/models/bnxt/layout/bnxt_ring_layout.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::bnxt {

// How frames lie in buffers.
struct Placement {
    // Bytes of a frame in its receive buffer, before it goes on in aggregation buffers; 0: as many
    // as the buffer has.
    uint16_t jumbo_threshold = 0;
    bool split_ipv4 = false;       // headers in the receive buffer, payload in others
    bool split_ipv6 = false;       // the same
    uint16_t split_threshold = 0;  // bytes of payload; no more are not split off
};

// How segments are joined to longer packets (TPA).
struct Joining {
    bool on = false;
    bool as_gro = false;  // so that the packet could be cut again
    RscLimits limits = {};
};

struct Vnic {
    bool is_default = false;
    uint16_t mru = 0;          // bytes of the longest frame, with a tag; 0: none is received
    bool strips_tags = false;  // the outer VLAN tag is told beside the frame, and not in it
    RssEntry default_rings{kNoRing, kNoRing};
    std::vector<RssEntry> table = {};  // 64, 128 ...; empty: none
    std::vector<uint8_t> key = {};
    uint32_t hash_types = 0;  // kHash*; none: all frames go to the default ring
    Placement placement = {};
    Joining joining = {};
};

class Vnics {
  public:
    Vnics(BnxtContext& context, Rules& rules) : context_(context), rules_(rules) {}

    std::optional<uint16_t> add(bool is_default);
    bool free(uint32_t number);
    void clear();
    // Null if there is none.
    Vnic* find(uint32_t number);
    const Vnic* find(uint32_t number) const;

    // The default one; null if there is none.
    const Vnic* default_vnic() const;
    // The one that gets a frame; null if none does.
    const Vnic* vnic_of(const Delivery& delivery) const;
    // The completion ring for frames of a receive ring; nothing if no VNIC has the ring.
    std::optional<uint16_t> completion_ring_of(uint16_t rx_ring) const;
    // Tells the wire how this port receives now: after anything here, or a rule, has changed.
    void apply() const;

  private:
    FlowRule reduce(uint32_t number, const BnxtRule& rule) const;

    BnxtContext& context_;
    Rules& rules_;
    std::array<std::optional<Vnic>, kVnicLimit> vnics_;
};

}  // namespace zcrxlab::nic::bnxt
