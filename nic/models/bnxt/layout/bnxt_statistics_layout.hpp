// Requests and answers about statistics, as they lie in memory.
//
// Source: Linux include/linux/bnxt/hsi.h; the name of each structure there is beside ours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nic/models/bnxt/layout/bnxt_hwrm_layout.hpp"

namespace zcrxlab::nic::bnxt {

// hwrm_stat_ctx_alloc_input
struct __attribute__((packed)) StatAllocate {
    RequestHeader header;
    Le64 address;
    Le32 period;  // milliseconds; ours are there when something changes
    uint8_t flags;
    uint8_t unused0;
    Le16 length;  // bytes
};
static_assert(offsetof(StatAllocate, length) == 0x1e);

// hwrm_stat_ctx_alloc_output, hwrm_stat_ctx_free_output
struct __attribute__((packed)) StatAnswer {
    AnswerHeader header;
    Le32 context;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(StatAnswer) == 0x10);

// hwrm_stat_ctx_free_input, hwrm_stat_ctx_clr_stats_input
struct __attribute__((packed)) StatFree {
    RequestHeader header;
    Le32 context;
};

// FUNC_QSTATS_EXT_REQ_FLAGS_COUNTER_MASK and PORT_QSTATS_REQ_FLAGS_COUNTER_MASK: not the counters
// are asked for, but the bits that each of them has.
inline constexpr uint8_t kFunctionMasks = 0x2;
inline constexpr uint8_t kPortMasks = 0x1;

// hwrm_func_qstats_ext_input
struct __attribute__((packed)) FunctionStatistics {
    RequestHeader header;
    Le16 function;
    uint8_t flags;
};
static_assert(offsetof(FunctionStatistics, flags) == 0x12);

// hwrm_func_qstats_ext_output
struct __attribute__((packed)) FunctionCounters {
    AnswerHeader header;
    Le64 counters[22];
    uint8_t unused0[7];
    uint8_t valid;
};
static_assert(sizeof(FunctionCounters) == 0xc0);

// hwrm_port_qstats_input
struct __attribute__((packed)) PortStatistics {
    RequestHeader header;
    Le16 port;
    uint8_t flags;
    uint8_t unused0[5];
    Le64 tx_address;
    Le64 rx_address;
};
static_assert(offsetof(PortStatistics, tx_address) == 0x18);

// hwrm_port_qstats_output, hwrm_port_qstats_ext_output
struct __attribute__((packed)) PortStatisticsAnswer {
    AnswerHeader header;
    Le16 tx_size;  // bytes written
    Le16 rx_size;
    uint8_t unused0[3];
    uint8_t valid;
};
static_assert(sizeof(PortStatisticsAnswer) == 0x10);

// rx_port_stats and tx_port_stats, as counters of 8 bytes; those that the model has. Both begin
// with the frames by their sizes, as kFrameSizes has them, but for one counter amid them.
inline constexpr size_t kPortTaggedFrames = 0x30 / 8;
inline constexpr size_t kPortRxCounters = 0x210 / 8;
inline constexpr size_t kPortRxFrames = 0x58 / 8;
inline constexpr size_t kPortRxControl = 0x80 / 8;
inline constexpr size_t kPortRxGoodFrames = 0x110 / 8;
inline constexpr size_t kPortRxBytes = 0x1e8 / 8;
inline constexpr size_t kPortRxDiscarded = 0x200 / 8;
inline constexpr size_t kPortTxCounters = 0x198 / 8;
inline constexpr size_t kPortTxGoodFrames = 0x58 / 8;
inline constexpr size_t kPortTxFrames = 0x60 / 8;
inline constexpr size_t kPortTxControl = 0xa0 / 8;
inline constexpr size_t kPortTxBytes = 0x178 / 8;

}  // namespace zcrxlab::nic::bnxt
