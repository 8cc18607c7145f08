// Statistics: blocks of counters in guest memory, one for each context that the driver has made,
// and those of the port, for the asking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "harness/base/endian.hpp"
#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"

namespace zcrxlab::nic::bnxt {

// Source: Linux include/linux/bnxt/hsi.h, struct ctx_hw_stats. Packets and bytes are of whole
// frames.
struct __attribute__((packed)) StatBlock {
    struct __attribute__((packed)) Direction {
        Le64 unicast_packets, multicast_packets, broadcast_packets;
    };
    Direction rx;
    Le64 rx_discarded, rx_errors;
    Le64 rx_unicast_bytes, rx_multicast_bytes, rx_broadcast_bytes;
    Direction tx;
    Le64 tx_errors, tx_discarded;
    Le64 tx_unicast_bytes, tx_multicast_bytes, tx_broadcast_bytes;
    // TPA: packets that others could be joined to, and those that were joined, with their payload.
    // As struct ctx_hw_stats_ext has it, which Linux takes where a chip joins
    // (bnxt_hwrm_vnic_qcaps: BNXT_RING_STATS_SIZE_P5).
    Le64 joinable_packets, joinable_bytes;
    Le64 joined_packets, joined_bytes;
    Le64 joined_errors;
};
static_assert(sizeof(StatBlock) == 0xa8);
static_assert(offsetof(StatBlock, rx_discarded) == 0x18);
static_assert(offsetof(StatBlock, rx_unicast_bytes) == 0x28);
static_assert(offsetof(StatBlock, tx) == 0x40);
static_assert(offsetof(StatBlock, tx_errors) == 0x58);
static_assert(offsetof(StatBlock, tx_unicast_bytes) == 0x68);
static_assert(offsetof(StatBlock, joinable_packets) == 0x80);

// What came as one packet or was joined to one: segments as they were on the wire.
struct Segments {
    uint64_t packets = 1;
    uint64_t headers = 0;  // bytes that each of them had, if there are several
    bool joinable = false;

    uint64_t bytes(size_t joined) const { return joined + (packets - 1) * headers; }
};

class Statistics {
  public:
    explicit Statistics(BnxtContext& context) : context_(context) {}

    // A context whose block is written to `address`, of which `length` bytes are the driver's; its
    // number, or nothing if all are taken.
    std::optional<uint32_t> add(uint64_t address, uint16_t length);
    // From here on its block is not written. False if there is none.
    bool free(uint32_t number);
    bool clear(uint32_t number);  // to zeros; false if there is none
    void clear();                 // of all contexts, which are gone

    // Counts for a context, if there is one of this number.
    void received(uint32_t number, std::span<const std::byte> frame, const Segments& segments);
    void discarded(uint32_t number);
    void failed(uint32_t number);
    void sent(uint32_t number, std::span<const std::byte> frame);
    // Writes the blocks of which something was counted since the last time.
    void publish();

  private:
    struct Context {
        uint64_t address = 0;
        uint16_t length = 0;
        bool changed = true;
        StatBlock block{};
    };
    Context* find(uint32_t number);

    BnxtContext& context_;
    std::array<std::optional<Context>, kStatContextLimit> contexts_;
};

}  // namespace zcrxlab::nic::bnxt
