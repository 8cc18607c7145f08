// Requests and answers about rings and VNICs, as they lie in memory.
//
// Source: Linux include/linux/bnxt/hsi.h; the name of each structure there is beside ours. Only
// what the model reads or says has a name. A VNIC is what a filter sends frames to: rings that
// share them by a hash, and how they are placed in buffers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"

namespace zcrxlab::nic::bnxt {

// RING_ALLOC_REQ_RING_TYPE_*
enum class RingType : uint8_t {
    kCompletions = 0,
    kTx = 1,
    kRx = 2,
    kAggregation = 4,
    kNotifications = 5,
};

// hwrm_ring_alloc_input
struct __attribute__((packed)) RingAllocate {
    RequestHeader header;
    Le32 enables;
    uint8_t type;
    uint8_t completion_coalescing;
    Le16 flags;
    Le64 memory;  // of the ring, or of the table of its pages
    Le32 first_byte;
    uint8_t page_shift;   // 0: the ring is in one piece
    uint8_t table_depth;  // 0: the ring is in one piece, 1: a table of its pages
    Le16 unused0;
    Le32 length;  // entries
    Le16 number;  // logical_id: the driver's own; of notifications, the vector
    Le16 completion_ring;
    Le16 port_queue;
    Le16 buffer_size;  // bytes, of a receive or aggregation ring
    Le16 rx_ring;      // that an aggregation ring belongs to
    Le16 notification_ring;
    uint8_t unused1[8];
    Le32 stat_context;
    uint8_t unused2[8];
    uint8_t interrupts;
    uint8_t unused3[3];
    Le64 handle;  // of a completion ring, for its notifications
};
static_assert(offsetof(RingAllocate, type) == 0x14);
static_assert(offsetof(RingAllocate, memory) == 0x18);
static_assert(offsetof(RingAllocate, page_shift) == 0x24);
static_assert(offsetof(RingAllocate, length) == 0x28);
static_assert(offsetof(RingAllocate, completion_ring) == 0x2e);
static_assert(offsetof(RingAllocate, notification_ring) == 0x36);
static_assert(offsetof(RingAllocate, stat_context) == 0x40);
static_assert(offsetof(RingAllocate, interrupts) == 0x4c);
static_assert(offsetof(RingAllocate, handle) == 0x50);
inline constexpr uint16_t kPadStart = 0x1;  // RING_ALLOC_REQ_FLAGS_RX_SOP_PAD

// hwrm_ring_alloc_output
struct __attribute__((packed)) RingAllocated {
    AnswerHeader header;
    Le16 ring;
    Le16 number;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(RingAllocated) == 0x10);

// hwrm_ring_free_input
struct __attribute__((packed)) RingFree {
    RequestHeader header;
    uint8_t type;
    uint8_t flags;
    Le16 ring;
};
static_assert(offsetof(RingFree, ring) == 0x12);

// hwrm_ring_aggint_qcaps_output: how interrupts could be held back. All 0: not at all.
struct __attribute__((packed)) CoalescingCapabilities {
    AnswerHeader header;
    Le32 completion_flags;
    Le32 notification_flags;
    Le16 limits[14];
    Le16 timer_unit;  // nanoseconds
    uint8_t unused0;
    uint8_t valid;
};
static_assert(sizeof(CoalescingCapabilities) == 0x30);
static_assert(offsetof(CoalescingCapabilities, timer_unit) == 0x2c);

// hwrm_ring_cmpl_ring_cfg_aggint_params_input
struct __attribute__((packed)) CoalescingConfigure {
    RequestHeader header;
    Le16 ring;
};

// hwrm_vnic_alloc_output
struct __attribute__((packed)) VnicAllocated {
    AnswerHeader header;
    Le32 vnic;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(VnicAllocated) == 0x10);

// hwrm_vnic_alloc_input
struct __attribute__((packed)) VnicAllocate {
    RequestHeader header;
    Le32 flags;
};
inline constexpr uint32_t kDefaultVnic = 0x1;  // VNIC_ALLOC_REQ_FLAGS_DEFAULT

// hwrm_vnic_free_input
struct __attribute__((packed)) VnicFree {
    RequestHeader header;
    Le32 vnic;
};

// hwrm_vnic_qcaps_output
struct __attribute__((packed)) VnicCapabilities {
    AnswerHeader header;
    Le16 mru;
    Le16 unused0;
    Le32 flags;
    Le16 most_aggregates;  // packets of a ring that segments are being joined to (TPA)
    uint8_t unused1[5];
    uint8_t valid;
};
static_assert(sizeof(VnicCapabilities) == 0x18);
// VNIC_QCAPS_RESP_FLAGS_RE_FLUSH_CAP: a ring is flushed when it is freed. Without it the driver
// restarts no queue alone.
inline constexpr uint32_t kFlushesRings = 0x40000000;
// VNIC_QCAPS_RESP_FLAGS_VLAN_STRIP_CAP: tags can be taken off frames.
inline constexpr uint32_t kStripsVlans = 0x2;

// hwrm_vnic_cfg_input
struct __attribute__((packed)) VnicConfigure {
    RequestHeader header;
    Le32 flags;
    Le32 enables;
    Le16 vnic;
    uint8_t unused0[8];
    Le16 mru;
    Le16 default_rx_ring;
    Le16 default_completion_ring;
};
static_assert(offsetof(VnicConfigure, vnic) == 0x18);
static_assert(offsetof(VnicConfigure, mru) == 0x22);
static_assert(offsetof(VnicConfigure, default_completion_ring) == 0x26);
// VNIC_CFG_REQ_*
inline constexpr uint32_t kStripVlan = 0x2;
inline constexpr uint32_t kEnableMru = 0x10;
inline constexpr uint32_t kEnableDefaultRxRing = 0x20;
inline constexpr uint32_t kEnableDefaultCompletionRing = 0x40;

// hwrm_vnic_update_input
struct __attribute__((packed)) VnicUpdate {
    RequestHeader header;
    Le32 vnic;
    Le32 enables;
    uint8_t state;
    uint8_t unused0;
    Le16 mru;
};
static_assert(offsetof(VnicUpdate, mru) == 0x1a);
// VNIC_UPDATE_REQ_ENABLES_*
inline constexpr uint32_t kUpdateState = 0x1;
inline constexpr uint32_t kUpdateMru = 0x2;

// hwrm_vnic_rss_cfg_input
struct __attribute__((packed)) RssConfigure {
    RequestHeader header;
    Le32 hash_types;
    Le16 vnic;
    uint8_t pair;  // which 64 entries of the table these are
    uint8_t hash_mode;
    Le64 table;
    Le64 key;
    Le16 context;
};
static_assert(offsetof(RssConfigure, vnic) == 0x14);
static_assert(offsetof(RssConfigure, table) == 0x18);
static_assert(offsetof(RssConfigure, context) == 0x28);
// VNIC_RSS_CFG_REQ_HASH_TYPE_*: what is hashed, by its addresses or with its ports. Flow labels and
// numbers of IPsec are not: VNIC_QCAPS offers none of them.
inline constexpr uint32_t kHashIpv4 = 0x1;
inline constexpr uint32_t kHashTcp4 = 0x2;
inline constexpr uint32_t kHashUdp4 = 0x4;
inline constexpr uint32_t kHashIpv6 = 0x8;
inline constexpr uint32_t kHashTcp6 = 0x10;
inline constexpr uint32_t kHashUdp6 = 0x20;
inline constexpr uint32_t kHashUnknown = ~uint32_t{0x3f};

// An entry of the table: rings that frames go to (bnxt.c, bnxt_fill_hw_rss_tbl_p5).
struct __attribute__((packed)) RssEntry {
    Le16 rx_ring;
    Le16 completion_ring;
};
static_assert(sizeof(RssEntry) == 4);
inline constexpr size_t kRssEntries = 64;  // of one request
inline constexpr size_t kRssParts = 8;     // of such, in one table
inline constexpr size_t kRssKeySize = 40;  // bytes

// hwrm_vnic_rss_cos_lb_ctx_alloc_output
struct __attribute__((packed)) RssAllocated {
    AnswerHeader header;
    Le16 context;
    uint8_t unused0[5];
    uint8_t valid;
};
static_assert(sizeof(RssAllocated) == 0x10);

// hwrm_vnic_rss_cos_lb_ctx_free_input
struct __attribute__((packed)) RssFree {
    RequestHeader header;
    Le16 context;
};

// hwrm_vnic_plcmodes_cfg_input
struct __attribute__((packed)) PlacementConfigure {
    RequestHeader header;
    Le32 flags;
    Le32 enables;
    Le32 vnic;
    Le16 jumbo_threshold;  // bytes; longer frames go on in aggregation buffers
    Le16 split_offset;
    Le16 split_threshold;  // bytes of payload; more are split off
};
static_assert(offsetof(PlacementConfigure, vnic) == 0x18);
static_assert(offsetof(PlacementConfigure, split_threshold) == 0x20);
// VNIC_PLCMODES_CFG_REQ_*
inline constexpr uint32_t kPlaceJumbo = 0x2;
inline constexpr uint32_t kSplitIpv4 = 0x4;
inline constexpr uint32_t kSplitIpv6 = 0x8;
inline constexpr uint32_t kEnableJumboThreshold = 0x1;
inline constexpr uint32_t kEnableSplitThreshold = 0x4;

// hwrm_vnic_tpa_cfg_input
struct __attribute__((packed)) TpaConfigure {
    RequestHeader header;
    Le32 flags;
    Le32 enables;
    Le16 vnic;
    Le16 most_segments;  // behind the first one of a packet
    Le16 most_aggregates;
    Le16 unused0;
    Le32 longest;   // time
    Le32 shortest;  // bytes of payload that a packet begins with
    Le32 tunnels;
    Le32 unused1;
};
static_assert(sizeof(TpaConfigure) == 0x30);
static_assert(offsetof(TpaConfigure, vnic) == 0x18);
static_assert(offsetof(TpaConfigure, shortest) == 0x24);
// VNIC_TPA_CFG_REQ_FLAGS_*
inline constexpr uint32_t kJoinSegments = 0x1;
inline constexpr uint32_t kJoinSegmentsInTunnels = 0x2;
inline constexpr uint32_t kJoinAsGro = 0x8;
// VNIC_TPA_CFG_REQ_ENABLES_*
inline constexpr uint32_t kEnableMostSegments = 0x1;
inline constexpr uint32_t kEnableMostAggregates = 0x2;
inline constexpr uint32_t kEnableShortest = 0x8;

}  // namespace zcrxlab::nic::bnxt
