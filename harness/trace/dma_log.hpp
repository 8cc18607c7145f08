// The DMA log: what a device says it wrote into guest memory. The witness of zero copy (I4).
//
// The device keeps the newest entries in a ring; a reader asks for those after a sequence number.
// On the control channel the answer is one JSON line followed by packed entries and flows (see
// nic/control/README.md), so the layout is fixed here and shared by the device and the harness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/base/endian.hpp"

namespace zcrxlab {

// What a DMA write carried.
enum class DmaKind : uint8_t {
    kPayload = 1,  // payload of a split packet, into a receive buffer
    kHeader = 2,   // headers of a split packet, into the header buffer
    kUnsplit = 3,  // headers and payload of an unsplit packet, into a receive buffer
};

// Behind an IOMMU a device knows bus addresses, and the page behind one only if it was told of it.
inline constexpr uint64_t kAddressUnknown = ~uint64_t{0};

// One write of packet bytes into guest memory. Completions and event counters are not logged.
struct __attribute__((packed)) DmaLogEntry {
    Le64 sequence;      // 1, 2, 3 ... over the life of the device process, all ports together
    Le64 address;       // guest physical address; kAddressUnknown where the device does not know it
    Le64 packet;        // number of the delivered packet, 1, 2, 3 ... ; its buffers share it
    Le32 length;        // bytes written
    Le32 flow;          // index into the flow table; 0 = no TCP flow
    Le32 tcp_sequence;  // TCP sequence number of the first payload byte written; else 0
    Le32 fault;         // id of the fault rule that touched the packet; 0 = none
    Le16 queue;         // receive queue
    uint8_t port;       // port that received, 0 or 1
    DmaKind kind;
    Le32 payload_offset;  // kUnsplit: offset of the payload behind `address`; else 0
    // When it was written, and when the driver had posted the buffer: microseconds of the device's
    // clock, modulo 2^32; 0 = not told.
    Le32 written;
    Le32 posted;
};
static_assert(sizeof(DmaLogEntry) == 56);
static_assert(offsetof(DmaLogEntry, length) == 24);
static_assert(offsetof(DmaLogEntry, queue) == 40);
static_assert(offsetof(DmaLogEntry, payload_offset) == 44);
static_assert(offsetof(DmaLogEntry, posted) == 52);
static_assert(std::is_trivially_copyable_v<DmaLogEntry>);

// A one-way TCP flow that the device has seen; direction source -> destination. A new SYN makes a
// new entry, so a tuple that is used again has several.
struct __attribute__((packed)) DmaLogFlow {
    Le32 flow;              // the index used by DmaLogEntry::flow; never 0
    Le32 initial_sequence;  // sequence number of the SYN: stream position 0 is this + 1
    uint8_t source[16];     // IPv4 in the first 4 bytes, rest 0
    uint8_t destination[16];
    Be16 source_port;
    Be16 destination_port;
    uint8_t family;   // 4 or 6
    uint8_t has_syn;  // 1 if initial_sequence is known
    Le16 reserved;
};
static_assert(sizeof(DmaLogFlow) == 48);
static_assert(offsetof(DmaLogFlow, source_port) == 40);
static_assert(std::is_trivially_copyable_v<DmaLogFlow>);

}  // namespace zcrxlab
