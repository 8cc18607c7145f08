// Descriptors and completions of the DQO queue formats.
//
// Source: Linux drivers/net/ethernet/google/gve/gve_desc_dqo.h. Bit fields there are little-endian;
// here they are masks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::gve {

// ---- Transmit ----

inline constexpr uint8_t kTxTypeMask = 0x1f;
inline constexpr uint8_t kTxTypeGeneralContext = 0x4;
inline constexpr uint8_t kTxTypeTsoContext = 0x5;
inline constexpr uint8_t kTxTypePacket = 0xc;

// Limits that the hardware documents in the driver: gve_tx_add_skb_no_copy_dqo(),
// GVE_TX_MIN_TSO_MSS_DQO, GVE_TX_MAX_TSO_MSS_DQO.
inline constexpr uint32_t kTxMaximumUnsegmented = 9728;
inline constexpr uint16_t kTxMinimumMss = 88;
inline constexpr uint16_t kTxMaximumMss = 9728;

// struct gve_tx_pkt_desc_dqo
struct __attribute__((packed)) TxPacketDescriptor {
    Le64 address;
    uint8_t type_flags;
    uint8_t reserved0;
    Le16 reserved1;
    Le16 tag;
    Le16 size;  // 14 bits

    static constexpr uint8_t kEndOfPacket = 1u << 5;
    static constexpr uint8_t kChecksum = 1u << 6;
    static constexpr uint8_t kReportEvent = 1u << 7;
    static constexpr uint16_t kSizeMask = 0x3fff;
};
static_assert(sizeof(TxPacketDescriptor) == 16);
static_assert(offsetof(TxPacketDescriptor, tag) == 12);

// struct gve_tx_tso_context_desc_dqo
struct __attribute__((packed)) TxTsoContext {
    uint8_t total_length[3];  // payload bytes behind the headers, little-endian
    uint8_t flex10;
    Le16 mss;  // 14 bits
    uint8_t header_length;
    uint8_t flex11;
    uint8_t type_flags;
    uint8_t reserved;
    uint8_t flex0;
    uint8_t flex5_to_9[5];

    static constexpr uint8_t kTso = 1u << 5;
    static constexpr uint16_t kMssMask = 0x3fff;
};
static_assert(sizeof(TxTsoContext) == 16);
static_assert(offsetof(TxTsoContext, type_flags) == 8);

// Any transmit descriptor; the type is in byte 8 of all of them.
struct TxDescriptor {
    uint8_t bytes[16];

    uint8_t type() const { return bytes[8] & kTxTypeMask; }
    template <typename T>
    T as() const {
        static_assert(sizeof(T) == sizeof(bytes) && std::is_trivially_copyable_v<T>);
        T out;
        std::memcpy(&out, bytes, sizeof(out));
        return out;
    }
};
static_assert(sizeof(TxDescriptor) == 16);

// struct gve_tx_compl_desc
struct __attribute__((packed)) TxCompletion {
    Le16 id_type_generation;
    Le16 tag_or_head;
    Le32 reserved;

    static constexpr uint16_t kIdMask = 0x7ff;
    static constexpr unsigned kTypeShift = 11;
    static constexpr uint16_t kPacket = 0x2;      // tag_or_head: the tag of the packet
    static constexpr uint16_t kDescriptor = 0x4;  // tag_or_head: last index fetched + 1
    static constexpr uint16_t kGeneration = 1u << 15;
};
static_assert(sizeof(TxCompletion) == 8);

// ---- Receive ----

// struct gve_rx_desc_dqo: a buffer that the driver posts
struct __attribute__((packed)) RxBufferDescriptor {
    Le16 buffer_id;
    Le16 reserved0;
    Le32 reserved1;
    Le64 address;
    Le64 header_address;
    Le64 reserved2;
};
static_assert(sizeof(RxBufferDescriptor) == 32);
static_assert(offsetof(RxBufferDescriptor, header_address) == 16);

// struct gve_rx_compl_desc_dqo
struct __attribute__((packed)) RxCompletion {
    uint8_t descriptor_id;
    uint8_t flags;
    Le16 packet_type_errors;
    Le16 length_generation;
    Le16 header;
    uint8_t status;
    uint8_t status_error1;
    uint8_t reserved5;
    uint8_t timestamp_flags;
    Le16 buffer_id;
    Le16 rsc_segment_length;
    Le32 hash;
    Le32 reserved6;
    Le32 reserved7;
    Le32 timestamp;

    static constexpr uint8_t kDescriptorId = 1;
    static constexpr uint8_t kRxError = 1u << 2;          // in flags
    static constexpr uint16_t kPacketTypeMask = 0x3ff;    // in packet_type_errors
    static constexpr uint16_t kLengthMask = 0x3fff;       // in length_generation
    static constexpr uint16_t kGeneration = 1u << 14;     // in length_generation
    static constexpr uint16_t kHeaderLengthMask = 0x3ff;  // in header
    static constexpr uint16_t kRsc = 1u << 10;
    static constexpr uint16_t kSplitHeader = 1u << 11;
    static constexpr uint8_t kDone = 1u << 0;  // in status
    static constexpr uint8_t kEndOfPacket = 1u << 1;
    static constexpr uint8_t kHeaderOverflow = 1u << 2;
    static constexpr uint8_t kL3L4Processed = 1u << 3;
    static constexpr uint8_t kIpChecksumError = 1u << 4;
    static constexpr uint8_t kL4ChecksumError = 1u << 5;
};
static_assert(sizeof(RxCompletion) == 32);
static_assert(offsetof(RxCompletion, length_generation) == 4);
static_assert(offsetof(RxCompletion, status) == 8);
static_assert(offsetof(RxCompletion, buffer_id) == 12);
static_assert(offsetof(RxCompletion, hash) == 16);

inline constexpr uint16_t kRxMaximumHeader = RxCompletion::kHeaderLengthMask;

// Packet types are the device's own numbers; GET_PTYPE_MAP tells the driver what they mean.
// enum gve_l3_type, enum gve_l4_type
inline constexpr uint8_t kL3Unknown = 0;
inline constexpr uint8_t kL3Other = 1;
inline constexpr uint8_t kL3Ipv4 = 2;
inline constexpr uint8_t kL3Ipv6 = 3;
inline constexpr uint8_t kL4Unknown = 0;
inline constexpr uint8_t kL4Tcp = 2;
inline constexpr uint8_t kL4Udp = 3;
inline constexpr uint16_t kPacketTypes = 1024;  // GVE_NUM_PTYPES

constexpr uint16_t packet_type(uint8_t l3, uint8_t l4) {
    return static_cast<uint16_t>(l3 * 8 + l4);
}

}  // namespace zcrxlab::nic::gve
