// Requests and answers about filters, as they lie in memory: what a VNIC gets.
//
// Source: Linux include/linux/bnxt/hsi.h; the name of each structure there is beside ours. Only
// what the model reads or says has a name. Addresses and ports of packets lie as in packets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"

namespace zcrxlab::nic::bnxt {

// hwrm_cfa_l2_filter_alloc_input
struct __attribute__((packed)) L2FilterAllocate {
    RequestHeader header;
    Le32 flags;
    Le32 enables;
    uint8_t address[6];
    uint8_t unused0[0x30];
    Le16 vnic;  // dst_id
};
static_assert(offsetof(L2FilterAllocate, address) == 0x18);
static_assert(offsetof(L2FilterAllocate, vnic) == 0x4e);

// hwrm_cfa_l2_filter_alloc_output
struct __attribute__((packed)) L2FilterAllocated {
    AnswerHeader header;
    Le64 filter;
    Le32 flow;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(L2FilterAllocated) == 0x18);

// hwrm_cfa_l2_filter_free_input
struct __attribute__((packed)) L2FilterFree {
    RequestHeader header;
    Le64 filter;
};

// hwrm_cfa_l2_set_rx_mask_input
struct __attribute__((packed)) ReceiveMask {
    RequestHeader header;
    Le32 vnic;
    Le32 mask;
};

// hwrm_cfa_ntuple_filter_alloc_input
struct __attribute__((packed)) FlowRuleAllocate {
    RequestHeader header;
    Le32 flags;
    Le32 enables;
    Le64 l2_filter;  // that the rule hangs on
    uint8_t source_mac[6];
    Be16 ethertype;
    uint8_t address_type;  // 4 or 6
    uint8_t protocol;      // of IP; 0: any
    Le16 vnic;             // dst_id
    Le16 place;            // rfs_ring_tbl_idx: of the ring, in the VNIC's table
    uint8_t tunnel_type;
    uint8_t priority;
    uint8_t source[16];  // of IPv4, the first 4 bytes
    uint8_t source_mask[16];
    uint8_t destination[16];
    uint8_t destination_mask[16];
    Be16 source_port;
    Be16 source_port_mask;
    Be16 destination_port;
    Be16 destination_port_mask;
    uint8_t unused0[8];
};
static_assert(sizeof(FlowRuleAllocate) == 0x80);
static_assert(offsetof(FlowRuleAllocate, l2_filter) == 0x18);
static_assert(offsetof(FlowRuleAllocate, address_type) == 0x28);
static_assert(offsetof(FlowRuleAllocate, vnic) == 0x2a);
static_assert(offsetof(FlowRuleAllocate, source) == 0x30);
static_assert(offsetof(FlowRuleAllocate, destination) == 0x50);
static_assert(offsetof(FlowRuleAllocate, source_port) == 0x70);
// CFA_NTUPLE_FILTER_ALLOC_REQ_*
inline constexpr uint32_t kRuleDrops = 0x2;
inline constexpr uint32_t kRuleUnknownFlags = ~kRuleDrops;
inline constexpr uint32_t kEnableRuleL2Filter = 0x1;
inline constexpr uint32_t kEnableRuleTunnel = 0x4;
inline constexpr uint32_t kEnableRuleSourceMac = 0x8;
inline constexpr uint32_t kEnableRuleMirror = 0x20000;
inline constexpr uint32_t kEnableRuleDestinationMac = 0x40000;
inline constexpr uint32_t kEnableRulePlace = 0x80000;
inline constexpr uint8_t kRuleIpv4 = 4;
inline constexpr uint8_t kRuleIpv6 = 6;
// Of IP, as IANA numbers them.
inline constexpr uint8_t kProtocolIcmp = 1;
inline constexpr uint8_t kProtocolTcp = 6;
inline constexpr uint8_t kProtocolUdp = 17;
inline constexpr uint8_t kProtocolIcmpv6 = 58;

// hwrm_cfa_ntuple_filter_alloc_output
struct __attribute__((packed)) FlowRuleAllocated {
    AnswerHeader header;
    Le64 rule;
    Le32 flow;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(FlowRuleAllocated) == 0x18);

// hwrm_cfa_ntuple_filter_free_input
struct __attribute__((packed)) FlowRuleFree {
    RequestHeader header;
    Le64 rule;
};

}  // namespace zcrxlab::nic::bnxt
