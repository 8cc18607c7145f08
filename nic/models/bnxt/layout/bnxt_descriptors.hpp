// Entries of rings: buffers and frames that a driver posts, completions and notifications that it
// gets. Each has 16 bytes.
//
// Source: Linux drivers/net/ethernet/broadcom/bnxt/bnxt.h (struct tx_bd, tx_bd_ext, rx_bd, tx_cmp,
// rx_cmp, rx_cmp_ext, rx_agg_cmp, rx_tpa_start_cmp, rx_tpa_start_cmp_ext, rx_tpa_end_cmp,
// rx_tpa_end_cmp_ext, nqe_cn) and include/linux/bnxt/hsi.h (hwrm_cmpl,
// hwrm_async_event_cmpl).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::bnxt {

// Any entry that the device writes. The driver takes it once its valid bit is that of the ring's
// round: 1 in the first one, 0 in the second.
struct __attribute__((packed)) Entry {
    Le32 type_flags;
    Le32 word1;
    Le32 valid;
    Le32 word3;

    static constexpr uint32_t kValid = 1;
};
static_assert(sizeof(Entry) == 16 && offsetof(Entry, valid) == 8);

template <typename T>
Entry entry_of(const T& special) {
    static_assert(sizeof(T) == sizeof(Entry) && std::is_trivially_copyable_v<T>);
    Entry out;
    std::memcpy(&out, &special, sizeof(out));
    return out;
}

// What the driver posts: a buffer to receive into, one of a frame, or, behind a frame's first one,
// what is to be done with the frame.
struct __attribute__((packed)) BufferDescriptor {
    Le16 type_flags;
    Le16 length;  // 0 in a transmit ring: 65536
    Le32 opaque;  // for completions, as it is
    Le64 address;

    static constexpr uint16_t kTypeMask = 0x3f;
    static constexpr uint16_t kTypeReceive = 0x4;
    static constexpr uint16_t kTypeAggregation = 0x6;
    static constexpr uint16_t kTypeTxShort = 0x0;  // no TxExtension behind it
    static constexpr uint16_t kTypeTxLong = 0x10;
    // Of a transmit ring, in a frame's first and last one.
    static constexpr uint16_t kPacketEnd = 1 << 6;
    static constexpr uint16_t kNoCompletion = 1 << 7;
    static constexpr unsigned kCountShift = 8;
    static constexpr uint16_t kCountMask = 0x1f;  // descriptors of the frame, 0 = 32
};
static_assert(sizeof(BufferDescriptor) == 16);
static_assert(offsetof(BufferDescriptor, length) == 2);
static_assert(offsetof(BufferDescriptor, address) == 8);

struct __attribute__((packed)) TxExtension {
    Le16 flags;
    Le16 header_size;  // 2 bytes, of the low 8 bits
    Le32 mss;          // of the low 15 bits
    Le32 action;
    Le32 meta;

    static constexpr uint16_t kL4Checksum = 1 << 0;
    static constexpr uint16_t kIpChecksum = 1 << 1;
    static constexpr uint16_t kLso = 1 << 5;
    static constexpr uint16_t kHeaderMask = 0xff;
    static constexpr uint32_t kMssMask = 0x7fff;
    static constexpr uint32_t kMetaVlan = 1 << 28;
};
static_assert(sizeof(TxExtension) == 16);

struct __attribute__((packed)) TxCompletion {
    Le16 type;
    Le16 unused0;
    Le32 opaque;  // of the frame's first descriptor
    Le32 errors_valid;
    Le32 consumed;

    static constexpr uint16_t kType = 0;
};
static_assert(sizeof(TxCompletion) == 16 && offsetof(TxCompletion, errors_valid) == 8);

// A frame has one of these, RxDetails, and RxAggregation for each aggregation buffer.
struct __attribute__((packed)) RxCompletion {
    Le16 type_flags;
    Le16 length;  // bytes in the receive buffer
    Le32 opaque;
    uint8_t valid_count;  // bit 0 valid, then 5 bits: aggregation buffers
    uint8_t rss_type;
    uint8_t payload_offset;
    uint8_t metadata;
    Le32 rss_hash;

    static constexpr uint16_t kType = 17;
    static constexpr uint16_t kPlacementJumbo = 1 << 7;
    static constexpr uint16_t kPlacementSplit = 2 << 7;
    static constexpr uint16_t kRssValid = 1 << 10;
    static constexpr unsigned kContentShift = 12;
    static constexpr unsigned kCountShift = 1;
    static constexpr unsigned kMostAggregations = 31;
};
static_assert(sizeof(RxCompletion) == 16 && offsetof(RxCompletion, valid_count) == 8);

// What is inside, of RxCompletion.
enum class RxContent : uint8_t { kUnknown = 0, kIp = 1, kTcp = 2, kUdp = 3, kIcmp = 7 };

struct __attribute__((packed)) RxDetails {
    Le32 flags;
    Le32 metadata;
    Le16 errors_valid;
    Le16 action;
    Le32 timestamp;

    static constexpr uint32_t kIpChecksumDone = 1 << 0;
    static constexpr uint32_t kL4ChecksumDone = 1 << 1;
    static constexpr uint32_t kTagTaken = 1 << 4;  // META_FORMAT_VLAN: `metadata` is tag_of()
    static constexpr uint32_t kIpv6 = 1 << 8;
    static constexpr uint16_t kBufferError = 3 << 1;  // BAD_FORMAT
    static constexpr uint16_t kIpChecksumError = 1 << 4;
    static constexpr uint16_t kL4ChecksumError = 1 << 5;

    static constexpr uint32_t tag_of(uint16_t protocol, uint16_t control) {
        return uint32_t{protocol} << 16 | control;
    }
};
static_assert(sizeof(RxDetails) == 16 && offsetof(RxDetails, errors_valid) == 8);

struct __attribute__((packed)) RxAggregation {
    Le16 type;
    Le16 length;  // bytes in the buffer
    Le32 opaque;
    Le32 valid;
    Le32 unused0;

    static constexpr uint16_t kType = 18;
};
static_assert(sizeof(RxAggregation) == 16 && offsetof(RxAggregation, valid) == 8);

// TPA: a packet that segments are joined to has TpaStart and TpaStartDetails when it begins,
// TpaAggregation for each aggregation buffer, TpaEnd and TpaEndDetails when it ends. All of them
// name it by the number of its aggregate, since others may come in between.
struct __attribute__((packed)) TpaStart {
    Le16 type_flags;
    Le16 length;  // bytes in the receive buffer
    Le32 opaque;
    Le16 valid_rss_type;
    Le16 aggregate;
    Le32 rss_hash;

    static constexpr uint16_t kType = 19;
    static constexpr uint16_t kError = 1 << 6;
    // Of TpaEnd, too. Added to RxCompletion::kPlacement*: the packet is one for GRO.
    static constexpr uint16_t kPlacementGro = 4 << 7;
    static constexpr uint16_t kMostAggregates = 1 << 12;
};
static_assert(sizeof(TpaStart) == 16 && offsetof(TpaStart, valid_rss_type) == 8);
static_assert(offsetof(TpaStart, aggregate) == 10);

struct __attribute__((packed)) TpaStartDetails {
    Le32 flags;     // as RxDetails has them,
    Le32 metadata;  // and it
    Le16 errors_valid;
    Le16 action;
    Le32 headers;

    static constexpr uint16_t kBufferError = 3 << 1;  // BAD_FORMAT

    // `headers`: where IP begins, once as the outer and once as the inner one of a tunnel, and the
    // bytes of the header behind it; where the inner Ethernet header begins is 0 without a tunnel.
    static constexpr uint32_t headers_at(uint16_t l3, uint16_t l4_length) {
        return (l3 & 0x1ffU) | (l3 & 0x1ffU) << 18 | (l4_length & 0x1fU) << 27;
    }
};
static_assert(sizeof(TpaStartDetails) == 16 && offsetof(TpaStartDetails, errors_valid) == 8);

struct __attribute__((packed)) TpaAggregation {
    Le16 type;
    Le16 length;  // bytes in the buffer
    Le32 opaque;
    Le16 valid;
    Le16 aggregate;
    Le32 unused0;

    static constexpr uint16_t kType = 22;
};
static_assert(sizeof(TpaAggregation) == 16 && offsetof(TpaAggregation, valid) == 8);

struct __attribute__((packed)) TpaEnd {
    Le16 type_flags;
    Le16 length;
    Le32 opaque;
    uint8_t valid;
    uint8_t segments;
    Le16 aggregate;
    Le32 timestamp;

    static constexpr uint16_t kType = 21;
    static constexpr unsigned kMostSegments = 255;
};
static_assert(sizeof(TpaEnd) == 16 && offsetof(TpaEnd, valid) == 8);
static_assert(offsetof(TpaEnd, aggregate) == 10);

struct __attribute__((packed)) TpaEndDetails {
    uint8_t duplicate_acknowledgments;
    uint8_t unused0;
    uint8_t payload_offset;
    uint8_t buffers;  // of the aggregation ring
    Le32 segment_length;
    Le16 errors_valid;
    Le16 unused1;
    Le32 start_opaque;

    static constexpr uint16_t kBufferError = 3 << 1;  // BAD_FORMAT
};
static_assert(sizeof(TpaEndDetails) == 16 && offsetof(TpaEndDetails, payload_offset) == 2);
static_assert(offsetof(TpaEndDetails, errors_valid) == 8);

// Of a notification queue: a completion ring has something.
struct __attribute__((packed)) Notification {
    Le16 type;
    Le16 unused0;
    Le32 handle_low;
    Le32 valid;
    Le32 handle_high;

    static constexpr uint16_t kType = 0x30;
};
static_assert(sizeof(Notification) == 16 && offsetof(Notification, valid) == 8);

// Of a completion ring: the answer to a command is there.
struct __attribute__((packed)) CommandDone {
    Le16 type;
    Le16 sequence;
    Le32 unused0;
    Le32 valid;
    Le32 unused1;

    static constexpr uint16_t kType = 0x20;
};
static_assert(sizeof(CommandDone) == 16 && offsetof(CommandDone, valid) == 8);

// Of a notification queue: something happened that nobody has asked.
struct __attribute__((packed)) Event {
    Le16 type;
    Le16 event;
    Le32 data2;
    Le32 valid;
    Le32 data1;

    static constexpr uint16_t kType = 0x2e;
    static constexpr uint16_t kLinkChanged = 0;
    static constexpr uint32_t kLinkUp = 1;  // of data1
    // RESET_NOTIFY: the firmware is about to start anew, and the driver is to leave it alone
    // before.
    static constexpr uint16_t kResetAsked = 8;
    static constexpr uint32_t kInterfaceDown = 0x2;      // of data1: what is to be done
    static constexpr uint32_t kResetByManager = 0x100;   // of data1: why
    static constexpr uint32_t kFirmwareDied = 0x200;     // or this: FW_EXCEPTION_FATAL
    static constexpr uint32_t kBackAfter100ms = 1 << 8;  // of valid: units of 100 ms
};
static_assert(sizeof(Event) == 16 && offsetof(Event, valid) == 8);

}  // namespace zcrxlab::nic::bnxt
