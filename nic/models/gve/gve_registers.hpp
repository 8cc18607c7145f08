// The registers, BARs and PCI identity of a gve NIC.
//
// Source: Linux drivers/net/ethernet/google/gve/gve_register.h (struct gve_registers), gve.h and
// gve_main.c (gve_probe, gve_write_version). BAR0 is big-endian; doorbells of the DQO formats are
// little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/base/endian.hpp"

namespace zcrxlab::nic::gve {

inline constexpr uint16_t kPciVendor = 0x1ae0;
inline constexpr uint16_t kPciDevice = 0x0042;
inline constexpr uint8_t kPciRevision =
    1;  // below 1 the driver uses the admin queue's PFN register
inline constexpr uint32_t kPciClass = 0x020000;

inline constexpr unsigned kRegisterBar = 0;
inline constexpr unsigned kMsixBar = 1;
inline constexpr unsigned kDoorbellBar = 2;
inline constexpr uint64_t kBarSize = 4096;  // each of the three
inline constexpr uint32_t kMsixTableOffset = 0;
inline constexpr uint32_t kMsixPendingOffset = 0x800;

struct __attribute__((packed)) Registers {
    Be32 device_status;
    Be32 driver_status;
    Be32 max_tx_queues;
    Be32 max_rx_queues;
    Be32 adminq_pfn;
    Be32 adminq_doorbell;  // count of commands posted, free running
    Be32 adminq_event_counter;
    uint8_t reserved[3];
    uint8_t driver_version;  // the driver writes its version here, byte by byte
    Be32 adminq_base_high;
    Be32 adminq_base_low;
    Be16 adminq_length;  // bytes
};
static_assert(offsetof(Registers, adminq_doorbell) == 0x14);
static_assert(offsetof(Registers, adminq_event_counter) == 0x18);
static_assert(offsetof(Registers, driver_version) == 0x1f);
static_assert(offsetof(Registers, adminq_base_high) == 0x20);
static_assert(offsetof(Registers, adminq_length) == 0x28);

// enum gve_device_status_flags
inline constexpr uint32_t kStatusResetRequested = 1u << 1;
inline constexpr uint32_t kStatusLinkUp = 1u << 2;
inline constexpr uint32_t kStatusReportStats = 1u << 3;
inline constexpr uint32_t kStatusIsReset = 1u << 4;

// enum gve_driver_status_flags
inline constexpr uint32_t kDriverRun = 1u << 0;
inline constexpr uint32_t kDriverReset = 1u << 1;

// Interrupt doorbells: gve_dqo.h, GVE_ITR_*.
inline constexpr uint32_t kInterruptEnable = 1u << 0;
inline constexpr uint32_t kInterruptClearPending = 1u << 1;

// The doorbell BAR's layout is the device's own choice: 32-bit slots, told to the driver by index.
inline constexpr uint32_t kInterruptDoorbells = 0;
inline constexpr uint32_t kTxDoorbells = 256;
inline constexpr uint32_t kRxDoorbells = 512;
inline constexpr uint32_t kDoorbellGroup = 256;  // slots of each of the three groups
static_assert((kRxDoorbells + kDoorbellGroup) * 4 <= kBarSize);

inline constexpr uint16_t kQueueLimit = 16;  // queues per direction that the model can have

}  // namespace zcrxlab::nic::gve
