// Requests and answers about the function and its port, as they lie in memory.
//
// Source: Linux include/linux/bnxt/hsi.h; the name of each structure there is beside ours. Only
// what the model reads or says has a name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"

namespace zcrxlab::nic::bnxt {

// hwrm_ver_get_output
struct __attribute__((packed)) VersionAnswer {
    AnswerHeader header;
    uint8_t interface_major;
    uint8_t interface_minor;
    uint8_t interface_update;
    uint8_t unused0;
    uint8_t firmware_major;
    uint8_t firmware_minor;
    uint8_t firmware_build;
    uint8_t unused1[9];
    Le32 capabilities;
    uint8_t unused2[0x34];
    char package_name[16];
    char roce_name[16];
    Le16 chip_number;
    uint8_t chip_revision;
    uint8_t chip_metal;
    uint8_t chip_bond;
    uint8_t chip_platform;
    Le16 window_size;     // bytes of a request that the window takes
    Le16 longest_answer;  // bytes
    Le16 usual_timeout;   // milliseconds
    uint8_t unused3[3];   // bit 0 of the first: the device is not ready yet
    uint8_t always_1;
    Le16 interface_version[4];
    Le16 firmware_version[4];
    uint8_t unused4[0x18];
    Le16 longest_request;  // bytes, of one in guest memory
    Le16 longest_timeout;  // seconds
    uint8_t unused5[3];
    uint8_t valid;
};
static_assert(sizeof(VersionAnswer) == 0xb0);
static_assert(offsetof(VersionAnswer, capabilities) == 0x18);
static_assert(offsetof(VersionAnswer, package_name) == 0x50);
static_assert(offsetof(VersionAnswer, chip_number) == 0x70);
static_assert(offsetof(VersionAnswer, window_size) == 0x76);
static_assert(offsetof(VersionAnswer, always_1) == 0x7f);
static_assert(offsetof(VersionAnswer, firmware_version) == 0x88);
static_assert(offsetof(VersionAnswer, longest_request) == 0xa8);
// VER_GET_RESP_DEV_CAPS_CFG_*
inline constexpr uint32_t kCapabilityShortRequest = 0x4;
inline constexpr uint32_t kCapabilityAdvancedFlows = 0x1000;

// hwrm_func_qcaps_output
struct __attribute__((packed)) FunctionCapabilities {
    AnswerHeader header;
    Le16 function;
    Le16 port;
    Le32 flags;
    uint8_t mac[6];
    Le16 most_rss_contexts;
    Le16 most_completion_rings;
    Le16 most_tx_rings;
    Le16 most_rx_rings;  // aggregation rings included
    Le16 most_l2_contexts;
    Le16 most_vnics;
    Le16 first_vf;
    Le16 most_vfs;
    Le16 most_stat_contexts;
    uint8_t unused0[0x10];
    Le32 most_rx_exact_flows;
    Le32 most_rx_wildcard_flows;
    uint8_t unused1[8];
    Le32 most_ring_groups;
    uint8_t unused2[4];
    Le32 flags2;  // flags_ext
    uint8_t unused3[4];
    Le32 flags3;  // flags_ext2
    uint8_t unused4[0x33];
    uint8_t valid;
};
static_assert(sizeof(FunctionCapabilities) == 0x90);
static_assert(offsetof(FunctionCapabilities, mac) == 0x10);
static_assert(offsetof(FunctionCapabilities, most_stat_contexts) == 0x26);
static_assert(offsetof(FunctionCapabilities, most_rx_exact_flows) == 0x38);
static_assert(offsetof(FunctionCapabilities, most_ring_groups) == 0x48);
static_assert(offsetof(FunctionCapabilities, flags2) == 0x50);
static_assert(offsetof(FunctionCapabilities, flags3) == 0x58);
// FUNC_QCAPS_RESP_FLAGS_VLAN_ACCELERATION_TX_DISABLED: no tag is put into frames. Without it the
// driver leaves the tag to the device.
inline constexpr uint32_t kNoVlanInsertion = 0x8000000;
// FUNC_QCAPS_RESP_FLAGS_HOT_RESET_CAPABLE: a driver can be asked for a reset by an event.
inline constexpr uint32_t kAsksForResets = 0x400000;
// FUNC_QCAPS_RESP_FLAGS_EXT_EXT_HW_STATS_SUPPORTED. Without it the driver takes a P5 chip for one
// that takes tags off, whatever VNIC_QCAPS says.
inline constexpr uint32_t kExtendedStatistics = 0x4;

// hwrm_func_qcfg_output
struct __attribute__((packed)) FunctionSettings {
    AnswerHeader header;
    Le16 function;
    Le16 port;
    Le16 vlan;
    Le16 flags;
    uint8_t mac[6];
    Le16 pci;
    Le16 rss_contexts;  // this and those below: reserved by FUNC_CFG
    Le16 completion_rings;
    Le16 tx_rings;
    Le16 rx_rings;
    Le16 l2_contexts;
    Le16 vnics;
    Le16 admin_mtu;
    Le16 mru;
    Le16 stat_context;
    uint8_t port_partition;
    uint8_t port_functions;
    Le16 default_vnic;
    Le16 most_mtu;
    uint8_t unused0[8];
    uint8_t bridge_mode;  // evb_mode
    uint8_t options;
    Le16 vfs;
    uint8_t unused1[4];
    Le32 ring_groups;
    Le16 unused2;
    Le16 stat_contexts;
    Le16 vectors;
    Le16 registered_vfs;
    Le16 doorbell_kib;  // of BAR 2, for doorbells of Ethernet
    uint8_t unused3;
    uint8_t always_1;
    uint8_t unused4[4];
    Le16 legacy_doorbell_kib;
    uint8_t unused5[0x59];
    uint8_t valid;
};
static_assert(sizeof(FunctionSettings) == 0xb0);
static_assert(offsetof(FunctionSettings, rss_contexts) == 0x18);
static_assert(offsetof(FunctionSettings, vnics) == 0x22);
static_assert(offsetof(FunctionSettings, default_vnic) == 0x2c);
static_assert(offsetof(FunctionSettings, most_mtu) == 0x2e);
static_assert(offsetof(FunctionSettings, bridge_mode) == 0x38);
static_assert(offsetof(FunctionSettings, ring_groups) == 0x40);
static_assert(offsetof(FunctionSettings, stat_contexts) == 0x46);
static_assert(offsetof(FunctionSettings, doorbell_kib) == 0x4c);
static_assert(offsetof(FunctionSettings, legacy_doorbell_kib) == 0x54);
inline constexpr uint8_t kBridgeVeb = 1;  // FUNC_QCFG_RESP_EVB_MODE_VEB

// hwrm_func_cfg_input
struct __attribute__((packed)) FunctionConfigure {
    RequestHeader header;
    Le16 function;
    Le16 vectors;
    Le32 flags;
    Le32 enables;  // which of the fields are meant
    Le16 admin_mtu;
    Le16 mru;
    Le16 rss_contexts;
    Le16 completion_rings;
    Le16 tx_rings;
    Le16 rx_rings;
    Le16 l2_contexts;
    Le16 vnics;
    Le16 stat_contexts;
    Le16 ring_groups;
    uint8_t mac[6];
    uint8_t unused0[0x1a];
    Le16 event_ring;  // async_event_cr: notification queue for what the driver has not asked
};
static_assert(offsetof(FunctionConfigure, enables) == 0x18);
static_assert(offsetof(FunctionConfigure, rss_contexts) == 0x20);
static_assert(offsetof(FunctionConfigure, mac) == 0x30);
static_assert(offsetof(FunctionConfigure, event_ring) == 0x50);
// FUNC_CFG_REQ_ENABLES_*
inline constexpr uint32_t kEnableRssContexts = 0x4;
inline constexpr uint32_t kEnableCompletionRings = 0x8;
inline constexpr uint32_t kEnableTxRings = 0x10;
inline constexpr uint32_t kEnableRxRings = 0x20;
inline constexpr uint32_t kEnableVnics = 0x80;
inline constexpr uint32_t kEnableStatContexts = 0x100;
inline constexpr uint32_t kEnableEventRing = 0x4000;
inline constexpr uint32_t kEnableVectors = 0x200000;
// FUNC_CFG_REQ_FLAGS_*_ASSETS_TEST: only says whether there is as much.
inline constexpr uint32_t kOnlyTest =
    0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000 | 0x40000 | 0x80000 | 0x100000 | 0x800000;

// hwrm_func_resource_qcaps_output: of each, as few and as many as there can be.
struct __attribute__((packed)) ResourceCapabilities {
    AnswerHeader header;
    Le16 most_vfs;
    Le16 most_vectors;
    Le16 vf_strategy;
    Le16 least_rss_contexts, most_rss_contexts;
    Le16 least_completion_rings, most_completion_rings;
    Le16 least_tx_rings, most_tx_rings;
    Le16 least_rx_rings, most_rx_rings;
    Le16 least_l2_contexts, most_l2_contexts;
    Le16 least_vnics, most_vnics;
    Le16 least_stat_contexts, most_stat_contexts;
    Le16 least_ring_groups, most_ring_groups;
    Le16 most_tx_scheduler_inputs;
    Le16 flags;
    Le16 least_vectors;
    uint8_t unused0[0x23];
    uint8_t valid;
};
static_assert(sizeof(ResourceCapabilities) == 0x58);
static_assert(offsetof(ResourceCapabilities, most_rx_rings) == 0x1c);
static_assert(offsetof(ResourceCapabilities, most_tx_scheduler_inputs) == 0x2e);

// hwrm_queue_qportcfg_output: queues of a port are classes of service.
struct __attribute__((packed)) PortQueues {
    AnswerHeader header;
    uint8_t most_queues;
    uint8_t most_lossless_queues;
    uint8_t unused0[5];
    uint8_t queue0;
    uint8_t queue0_profile;
    uint8_t unused1[0x96];
    uint8_t valid;
};
static_assert(sizeof(PortQueues) == 0xa8);
static_assert(offsetof(PortQueues, queue0) == 0xf);

// hwrm_port_phy_qcaps_output
struct __attribute__((packed)) PhyCapabilities {
    AnswerHeader header;
    uint8_t flags;
    uint8_t ports;
    Le16 forced_speeds;
    Le16 negotiated_speeds;
    uint8_t unused0[0x21];
    uint8_t valid;
};
static_assert(sizeof(PhyCapabilities) == 0x30);
static_assert(offsetof(PhyCapabilities, negotiated_speeds) == 0xc);

// hwrm_port_phy_qcfg_output
struct __attribute__((packed)) PhySettings {
    AnswerHeader header;
    uint8_t link;
    uint8_t fec_mode;
    Le16 speed;  // 100 Mbit/s
    uint8_t duplex_setting;
    uint8_t pause;
    Le16 speeds;  // a bit for each
    Le16 forced_speed;
    uint8_t negotiation;  // auto_mode
    uint8_t negotiated_pause;
    Le16 negotiated_speed;
    Le16 negotiated_speeds;
    uint8_t wirespeed;
    uint8_t loopback;
    uint8_t forced_pause;
    uint8_t module_status;
    Le32 preemphasis;
    uint8_t phy_version[3];
    uint8_t phy_type;
    uint8_t media;
    uint8_t transceiver;
    uint8_t unused0[2];
    Le16 partner_speeds;
    uint8_t unused1[0xa];
    Le16 fec;
    uint8_t duplex;
    uint8_t unused2[0x38];
    uint8_t valid;
};
static_assert(sizeof(PhySettings) == 0x70);
static_assert(offsetof(PhySettings, speeds) == 0xe);
static_assert(offsetof(PhySettings, negotiated_speeds) == 0x16);
static_assert(offsetof(PhySettings, module_status) == 0x1b);
static_assert(offsetof(PhySettings, phy_type) == 0x23);
static_assert(offsetof(PhySettings, partner_speeds) == 0x28);
static_assert(offsetof(PhySettings, fec) == 0x34);
static_assert(offsetof(PhySettings, duplex) == 0x36);
// PORT_PHY_QCFG_RESP_*
inline constexpr uint8_t kNoLink = 0;
inline constexpr uint8_t kLink = 2;
inline constexpr uint16_t kSpeed25G = 250;
inline constexpr uint16_t kSpeed25GBit = 0x100;
inline constexpr uint8_t kFullDuplex = 1;
inline constexpr uint8_t kNegotiateSpeeds = 4;  // of the mask
inline constexpr uint8_t kPhy25GCopper = 0xd;
inline constexpr uint8_t kMediaCopper = 2;  // direct attach
inline constexpr uint8_t kTransceiverExternal = 2;
inline constexpr uint16_t kNoFec = 1;

// hwrm_port_led_qcaps_output
struct __attribute__((packed)) PortLights {
    AnswerHeader header;
    uint8_t lights;
    uint8_t unused0[0x26];
    uint8_t valid;
};
static_assert(sizeof(PortLights) == 0x30);

// hwrm_nvm_get_dev_info_output: memory for firmware. All 0: there is none.
struct __attribute__((packed)) FlashInformation {
    AnswerHeader header;
    uint8_t unused0[0x57];
    uint8_t valid;
};
static_assert(sizeof(FlashInformation) == 0x60);

// hwrm_func_drv_rgtr_output
struct __attribute__((packed)) RegisterAnswer {
    AnswerHeader header;
    Le32 flags;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(RegisterAnswer) == 0x10);
// FUNC_DRV_RGTR_RESP_FLAGS_IF_CHANGE_SUPPORTED: the driver tells when its interface goes up or
// down. Without it none comes back from a reset (bnxt_hwrm_if_change).
inline constexpr uint32_t kTellsUpAndDown = 0x1;

// hwrm_func_drv_if_change_input
struct __attribute__((packed)) InterfaceChange {
    RequestHeader header;
    Le32 flags;
};
static_assert(offsetof(InterfaceChange, flags) == 0x10);
inline constexpr uint32_t kInterfaceUp = 0x1;  // FUNC_DRV_IF_CHANGE_REQ_FLAGS_UP

// hwrm_func_drv_if_change_output
struct __attribute__((packed)) InterfaceChanged {
    AnswerHeader header;
    Le32 flags;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(InterfaceChanged) == 0x10);
// FUNC_DRV_IF_CHANGE_RESP_FLAGS_HOT_FW_RESET_DONE: there was a reset, and all is to be set up anew.
inline constexpr uint32_t kResetDone = 0x2;

// hwrm_cfa_adv_flow_mgnt_qcaps_output
struct __attribute__((packed)) FlowCapabilities {
    AnswerHeader header;
    Le32 flags;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(FlowCapabilities) == 0x10);
// CFA_ADV_FLOW_MGNT_QCAPS_RESP_FLAGS_RFS_RING_TBL_IDX_V*: a flow rule names a ring by its place in
// the table of a VNIC (2), which is one made for such rules (3).
inline constexpr uint32_t kRuleNamesPlaceInTable = 0x2000;
inline constexpr uint32_t kRuleHasVnic = 0x200000;

}  // namespace zcrxlab::nic::bnxt
