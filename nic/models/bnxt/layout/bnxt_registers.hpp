// The registers, BARs, doorbells and PCI identity of a bnxt NIC: BCM57504, a P5 chip, physical
// function.
//
// Source: Linux drivers/net/ethernet/broadcom/bnxt: bnxt.h (BNXT_GRCPF_REG_*, BNXT_GRC_REG_*,
// DBR_*, DB_PF_OFFSET_P5), bnxt.c (bnxt_pci_tbl, bnxt_init_board, bnxt_try_map_fw_health_reg) and
// bnxt_hwrm.c (__hwrm_send). All of it is little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zcrxlab::nic::bnxt {

inline constexpr uint16_t kPciVendor = 0x14e4;
inline constexpr uint16_t kPciDevice = 0x1751;
inline constexpr uint8_t kPciRevision = 0x12;
inline constexpr uint32_t kPciClass = 0x020000;
// What VER_GET answers; the driver takes the generation from there, not from the PCI identity.
inline constexpr uint16_t kChipNumber = 0x1751;

// BARs of 64 bits. Sizes are the device's own choice, but for doorbells, which lie behind 64 KiB.
inline constexpr unsigned kRegisterBar = 0;
inline constexpr unsigned kDoorbellBar = 2;
inline constexpr unsigned kMsixBar = 4;
inline constexpr uint64_t kRegisterBarSize = 64 * 1024;
inline constexpr uint64_t kDoorbellBarSize = 128 * 1024;
inline constexpr uint64_t kMsixBarSize = 16 * 1024;
inline constexpr uint32_t kMsixTableOffset = 0;
inline constexpr uint32_t kMsixPendingOffset = 0x2000;

// BAR 0. A request is written to the window from its first byte on, the rest of the window with
// zeros, then 1 to the trigger.
inline constexpr uint64_t kRequestWindow = 0x0;
inline constexpr size_t kRequestWindowSize = 128;
inline constexpr uint64_t kRequestTrigger = 0x100;
// Each of 16 words says which 4 KiB of the chip are seen through BAR 0, from 0x1000 on. What is
// there the model has not: it reads as 0, which is no signature of a status structure.
inline constexpr uint64_t kWindowBases = 0x400;
inline constexpr uint64_t kWindowBasesEnd = 0x440;
inline constexpr uint64_t kFirmwareStatus = 0x520;
inline constexpr uint32_t kFirmwareHealthy = 0x8000;
inline constexpr uint32_t kFirmwareDead = 0x8100;  // BNXT_FW_IS_ERR: any that is larger

// BAR 2: one register of 8 bytes takes the doorbells of all rings.
inline constexpr uint64_t kDoorbell = 0x10000;

enum class DoorbellType : uint8_t {
    kTransmit = 0x0,           // SQ: descriptors filled up to the index
    kReceive = 0x2,            // SRQ: the same of a receive or an aggregation ring
    kCompletions = 0x4,        // CQ: completions read up to the index
    kArmCompletions = 0x6,     // CQ_ARMALL: the same, and tell of the next one
    kNotifications = 0xa,      // NQ: notifications read up to the index, no interrupts
    kArmNotifications = 0xb,   // NQ_ARM: the same, and interrupt for the next one
    kMaskNotifications = 0xe,  // NQ_MASK: as kNotifications
};

// A doorbell as it is written.
struct Doorbell {
    DoorbellType type;
    uint32_t ring;   // as RING_ALLOC answered, 20 bits
    uint32_t index;  // 24 bits, below the ring's length
    bool path_l2;    // always set by a driver of Ethernet

    static constexpr Doorbell from(uint64_t value) {
        return {static_cast<DoorbellType>(value >> 60),
                static_cast<uint32_t>(value >> 32) & 0xfffff,
                static_cast<uint32_t>(value) & 0xffffff, (value >> 56 & 1) != 0};
    }
    constexpr uint64_t value() const {
        return static_cast<uint64_t>(type) << 60 | uint64_t{path_l2} << 56 | uint64_t{ring} << 32 |
               index;
    }
};

// What the model has of each kind.
inline constexpr uint16_t kQueueLimit = 16;         // receive rings, and transmit rings
inline constexpr uint16_t kNotificationLimit = 16;  // notification queues, one for each vector
inline constexpr uint16_t kCompletionLimit = 2 * kQueueLimit;
inline constexpr uint16_t kVnicLimit = 16;
// Packets of a ring that segments are being joined to. Linux takes up to 32 for a mistake, and has
// 256 then; before 7.1 it has 256 at least, whatever it is told (bnxt_alloc_tpa_info).
inline constexpr uint16_t kAggregateLimit = 256;
// Assumed: numbers of these packets are used again soon, so that what a driver keeps of one meets
// another of the same number.
inline constexpr uint16_t kAggregateNumbers = 4;
inline constexpr uint16_t kRssContextLimit = 64;
inline constexpr uint16_t kStatContextLimit = 32;
inline constexpr uint16_t kL2FilterLimit = 64;
inline constexpr uint16_t kRuleLimit = 256;
static_assert(kMsixTableOffset + kNotificationLimit * 16 <= kMsixPendingOffset);

}  // namespace zcrxlab::nic::bnxt
