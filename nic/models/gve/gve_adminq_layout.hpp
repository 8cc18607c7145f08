// The admin queue's commands and the structures that they point to; all big-endian.
//
// Source: Linux drivers/net/ethernet/google/gve/gve_adminq.h and, for struct gve_flow_spec, gve.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::gve {

// enum gve_adminq_opcodes
enum class Opcode : uint32_t {
    kDescribeDevice = 0x1,
    kConfigureDeviceResources = 0x2,
    kRegisterPageList = 0x3,
    kUnregisterPageList = 0x4,
    kCreateTxQueue = 0x5,
    kCreateRxQueue = 0x6,
    kDestroyTxQueue = 0x7,
    kDestroyRxQueue = 0x8,
    kDeconfigureDeviceResources = 0x9,
    kConfigureRss = 0xa,
    kSetDriverParameter = 0xb,
    kReportStats = 0xc,
    kReportLinkSpeed = 0xd,
    kGetPtypeMap = 0xe,
    kVerifyDriverCompatibility = 0xf,
    kQueryFlowRules = 0x10,
    kReportNicTimestamp = 0x11,
    kQueryRss = 0x12,
    kExtended = 0xff,
    kConfigureFlowRule = 0x101,  // only inside kExtended
};

// enum gve_adminq_statuses
enum class Status : uint32_t {
    kUnset = 0x0,
    kPassed = 0x1,
    kAborted = 0xfffffff0,
    kAlreadyExists = 0xfffffff1,
    kFailedPrecondition = 0xfffffff5,
    kInternalError = 0xfffffff6,
    kInvalidArgument = 0xfffffff7,
    kNotFound = 0xfffffff8,
    kOutOfRange = 0xfffffff9,
    kResourceExhausted = 0xfffffffc,
    kUnimplemented = 0xfffffffe,
};

// ---- DESCRIBE_DEVICE ----

struct __attribute__((packed)) DescribeDevice {
    Be64 descriptor_address;
    Be32 descriptor_version;
    Be32 available_length;
};
static_assert(sizeof(DescribeDevice) == 16);
inline constexpr uint32_t kDeviceDescriptorVersion = 1;

struct __attribute__((packed)) DeviceDescriptor {
    Be64 max_registered_pages;
    Be16 reserved1;
    Be16 tx_queue_entries;
    Be16 rx_queue_entries;
    Be16 default_num_queues;
    Be16 mtu;
    Be16 counters;
    Be16 tx_pages_per_qpl;
    Be16 rx_pages_per_qpl;
    uint8_t mac[6];
    Be16 num_device_options;
    Be16 total_length;
    uint8_t reserved2[6];
};
static_assert(sizeof(DeviceDescriptor) == 40);
static_assert(offsetof(DeviceDescriptor, mac) == 24);

// enum gve_dev_opt_id
inline constexpr uint16_t kOptionDqoRda = 0x4;
inline constexpr uint16_t kOptionModifyRing = 0x6;
inline constexpr uint16_t kOptionJumboFrames = 0x8;
inline constexpr uint16_t kOptionBufferSizes = 0xa;
inline constexpr uint16_t kOptionFlowSteering = 0xb;
inline constexpr uint16_t kOptionRssConfig = 0xe;

// enum gve_sup_feature_mask; the driver reads the mask in the queue format's option.
inline constexpr uint32_t kFeatureModifyRing = 1u << 0;
inline constexpr uint32_t kFeatureJumboFrames = 1u << 2;
inline constexpr uint32_t kFeatureBufferSizes = 1u << 4;
inline constexpr uint32_t kFeatureFlowSteering = 1u << 5;
inline constexpr uint32_t kFeatureRssConfig = 1u << 7;

struct __attribute__((packed)) OptionHeader {
    Be16 id;
    Be16 length;
    Be32 required_features;
};
static_assert(sizeof(OptionHeader) == 8);

struct __attribute__((packed)) DqoRdaOption {
    Be32 supported_features;
    Be32 reserved;
};
static_assert(sizeof(DqoRdaOption) == 8);

struct __attribute__((packed)) ModifyRingOption {
    Be32 supported_features;
    Be16 max_rx_ring;
    Be16 max_tx_ring;
    Be16 min_rx_ring;
    Be16 min_tx_ring;
};
static_assert(sizeof(ModifyRingOption) == 12);

struct __attribute__((packed)) JumboFramesOption {
    Be32 supported_features;
    Be16 max_mtu;
    uint8_t padding[2];
};
static_assert(sizeof(JumboFramesOption) == 8);

struct __attribute__((packed)) BufferSizesOption {
    Be32 supported_features;
    Be16 packet_buffer_size;
    Be16 header_buffer_size;
};
static_assert(sizeof(BufferSizesOption) == 8);

struct __attribute__((packed)) FlowSteeringOption {
    Be32 supported_features;
    Be32 reserved;
    Be32 max_flow_rules;
};
static_assert(sizeof(FlowSteeringOption) == 12);

struct __attribute__((packed)) RssConfigOption {
    Be32 supported_features;
    Be16 key_size;
    Be16 lut_size;
};
static_assert(sizeof(RssConfigOption) == 8);

// ---- Driver, resources, queues ----

// struct gve_driver_info
struct __attribute__((packed)) DriverInfo {
    uint8_t os_type;
    uint8_t driver_major;
    uint8_t driver_minor;
    uint8_t driver_sub;
    Be32 os_version_major;
    Be32 os_version_minor;
    Be32 os_version_sub;
    Be64 capabilities[4];
    char os_version1[128];
    char os_version2[128];
};
static_assert(sizeof(DriverInfo) == 304);
inline constexpr uint64_t kCapabilityDqoRda = 1u << 3;

struct __attribute__((packed)) VerifyDriverCompatibility {
    Be64 info_length;
    Be64 info_address;
};
static_assert(sizeof(VerifyDriverCompatibility) == 16);

struct __attribute__((packed)) ConfigureDeviceResources {
    Be64 counter_array;
    Be64 irq_doorbell_address;
    Be32 num_counters;
    Be32 num_irq_doorbells;
    Be32 irq_doorbell_stride;
    Be32 msix_base_index;  // 0: the management vector is last; 1: it is first
    uint8_t queue_format;
    uint8_t padding[7];
};
static_assert(sizeof(ConfigureDeviceResources) == 40);
inline constexpr uint8_t kFormatDqoRda = 3;  // enum gve_queue_format, gve.h

// In place of a page list. DQO RDA has none and the field means nothing there: Linux writes this,
// DPDK leaves it 0 (drivers/net/gve/base/gve_adminq.c).
inline constexpr uint32_t kRawAddressing = 0xffffffff;

struct __attribute__((packed)) CreateTxQueue {
    Be32 queue_id;
    Be32 reserved;
    Be64 resources_address;
    Be64 ring_address;
    Be32 page_list_id;  // ignored
    Be32 notify_id;
    Be64 completion_ring_address;
    Be16 ring_size;
    Be16 completion_ring_size;
    uint8_t padding[4];
};
static_assert(sizeof(CreateTxQueue) == 48);

struct __attribute__((packed)) CreateRxQueue {
    Be32 queue_id;
    Be32 index;
    Be32 reserved;
    Be32 notify_id;
    Be64 resources_address;
    Be64 completion_ring_address;
    Be64 buffer_ring_address;
    Be32 page_list_id;  // ignored
    Be16 completion_ring_size;
    Be16 packet_buffer_size;
    Be16 buffer_ring_size;
    uint8_t enable_rsc;
    uint8_t padding1;
    Be16 header_buffer_size;
    uint8_t padding2[2];
};
static_assert(sizeof(CreateRxQueue) == 56);
static_assert(offsetof(CreateRxQueue, header_buffer_size) == 52);

// struct gve_queue_resources, which the device fills in; 64 bytes belong to it.
struct __attribute__((packed)) QueueResources {
    Be32 doorbell_index;
    Be32 counter_index;
};
static_assert(sizeof(QueueResources) == 8);

struct __attribute__((packed)) DestroyQueue {
    Be32 queue_id;
};
static_assert(sizeof(DestroyQueue) == 4);

struct __attribute__((packed)) SetDriverParameter {
    Be32 type;
    uint8_t reserved[4];
    Be64 value;
};
static_assert(sizeof(SetDriverParameter) == 16);
inline constexpr uint32_t kParameterMtu = 1;

// ---- Statistics, link, packet types ----

struct __attribute__((packed)) ReportStats {
    Be64 length;
    Be64 address;
    Be64 interval;  // milliseconds
};
static_assert(sizeof(ReportStats) == 24);

struct __attribute__((packed)) Statistic {  // struct stats
    Be32 name;
    Be32 queue_id;
    Be64 value;
};
static_assert(sizeof(Statistic) == 16);

// struct gve_stats_report: a Be64 count, then the driver's statistics, then the device's.
inline constexpr uint32_t kStatsReportHeader = 8;

// enum gve_stat_names, those of the NIC; the order in which the driver reads them.
inline constexpr uint32_t kStatRxQueueDrops = 65;
inline constexpr uint32_t kStatRxNoBuffers = 66;
inline constexpr uint32_t kStatRxOverMru = 67;
inline constexpr uint32_t kStatRxInvalidChecksum = 68;
inline constexpr uint32_t kNicRxStats = 4;  // NIC_RX_STATS_REPORT_NUM

struct __attribute__((packed)) ReportLinkSpeed {
    Be64 address;  // of a Be64, Mbit/s
};
static_assert(sizeof(ReportLinkSpeed) == 8);

struct __attribute__((packed)) GetPtypeMap {
    Be64 length;
    Be64 address;
};
static_assert(sizeof(GetPtypeMap) == 16);

struct __attribute__((packed)) PtypeEntry {
    uint8_t l3;
    uint8_t l4;
};
static_assert(sizeof(PtypeEntry) == 2);

// ---- Flow steering ----

// enum gve_adminq_flow_type
enum class FlowType : uint16_t {
    kTcpV4,
    kUdpV4,
    kSctpV4,
    kAhV4,
    kEspV4,
    kTcpV6,
    kUdpV6,
    kSctpV6,
    kAhV6,
    kEspV6,
    kCount,
};

// struct gve_flow_spec; bytes in network order. `ports` holds the SPI of AH and ESP.
struct __attribute__((packed)) FlowSpec {
    uint8_t source[16];  // IPv4: the first 4
    uint8_t destination[16];
    Be16 source_port;
    Be16 destination_port;
    uint8_t traffic_class;
    uint8_t padding[3];
};
static_assert(sizeof(FlowSpec) == 40);

struct __attribute__((packed)) FlowRuleLayout {  // struct gve_adminq_flow_rule
    Be16 type;
    Be16 action;  // receive queue
    FlowSpec key;
    FlowSpec mask;
};
static_assert(sizeof(FlowRuleLayout) == 84);

enum class FlowRuleCommand : uint16_t { kAdd = 0, kDelete = 1, kReset = 2 };

struct __attribute__((packed)) ConfigureFlowRule {
    Be16 command;
    uint8_t padding[2];
    FlowRuleLayout rule;
    Be32 location;
};
static_assert(sizeof(ConfigureFlowRule) == 92);

struct __attribute__((packed)) ExtendedCommand {
    Be32 inner_opcode;
    Be32 inner_length;
    Be64 inner_address;
};
static_assert(sizeof(ExtendedCommand) == 16);

enum class FlowRuleQuery : uint16_t { kRules = 0, kIds = 1, kStats = 2 };

struct __attribute__((packed)) QueryFlowRules {
    Be16 query;
    uint8_t padding[2];
    Be32 starting_rule_id;
    Be64 available_length;
    Be64 descriptor_address;
};
static_assert(sizeof(QueryFlowRules) == 24);

struct __attribute__((packed)) QueryFlowRulesDescriptor {
    Be32 num_flow_rules;
    Be32 max_flow_rules;
    Be32 num_queried_rules;
    Be32 total_length;
};
static_assert(sizeof(QueryFlowRulesDescriptor) == 16);

struct __attribute__((packed)) QueriedFlowRule {
    Be32 location;
    FlowRuleLayout rule;
};
static_assert(sizeof(QueriedFlowRule) == 88);

// ---- RSS ----

struct __attribute__((packed)) ConfigureRss {
    Be16 hash_types;  // enum gve_rss_hash_type, a bit each
    uint8_t hash_algorithm;
    uint8_t reserved;
    Be16 key_size;  // 0: leave the key
    Be16 lut_size;  // 0: leave the table
    Be64 key_address;
    Be64 lut_address;  // Be32 each
};
static_assert(sizeof(ConfigureRss) == 24);
inline constexpr uint8_t kHashToeplitz = 1;         // ETH_RSS_HASH_TOP, include/linux/ethtool.h
inline constexpr uint16_t kHashTypesKnown = 0x1ff;  // IPV4, TCPV4, IPV6 ... UDPV6_EX
inline constexpr uint16_t kHashTypesDefault = (1u << 1) | (1u << 4) | (1u << 6) | (1u << 7);
inline constexpr uint16_t kRssKeySize = 40;
inline constexpr uint16_t kRssTableSize = 128;

struct __attribute__((packed)) QueryRss {
    Be64 available_length;
    Be64 descriptor_address;
};
static_assert(sizeof(QueryRss) == 16);

struct __attribute__((packed)) QueryRssDescriptor {  // then the key, then the table
    Be32 total_length;
    Be16 hash_types;
    uint8_t hash_algorithm;
    uint8_t reserved;
};
static_assert(sizeof(QueryRssDescriptor) == 8);

// ---- The command itself ----

struct __attribute__((packed)) Command {
    Be32 opcode;
    Be32 status;
    uint8_t body[56];
};
static_assert(sizeof(Command) == 64);
static_assert(offsetof(Command, status) == 4);

}  // namespace zcrxlab::nic::gve
