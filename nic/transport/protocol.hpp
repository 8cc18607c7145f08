// protocol: the vfio-user messages that a server meets, byte for byte.
//
// Source: QEMU's docs/interop/vfio-user.rst (protocol 0.0), the section named at each structure;
// values of flags and indexes from <linux/vfio.h>, which the protocol imports. All integers are in
// the byte order of the host, so plain types are right here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zcrxlab::nic::vfio_user {

// "Commands"
enum class Command : uint16_t {
    kVersion = 1,
    kDmaMap = 2,
    kDmaUnmap = 3,
    kDeviceGetInfo = 4,
    kDeviceGetRegionInfo = 5,
    kDeviceGetRegionIoFds = 6,
    kDeviceGetIrqInfo = 7,
    kDeviceSetIrqs = 8,
    kRegionRead = 9,
    kRegionWrite = 10,
    kDmaRead = 11,
    kDmaWrite = 12,
    kDeviceReset = 13,
    kRegionWriteMulti = 15,
    kDeviceFeature = 16,
    kMigDataRead = 17,
    kMigDataWrite = 18,
};

// "Header"
struct __attribute__((packed)) Header {
    uint16_t id;  // echoed in the reply
    uint16_t command;
    uint32_t size;  // of the whole message, header included
    uint32_t flags;
    uint32_t error;  // an errno, valid in a reply with kFlagError
};
static_assert(sizeof(Header) == 16 && offsetof(Header, flags) == 8);

inline constexpr uint32_t kTypeMask = 0xf;
inline constexpr uint32_t kTypeCommand = 0;
inline constexpr uint32_t kTypeReply = 1;
inline constexpr uint32_t kFlagNoReply = 0x10;
inline constexpr uint32_t kFlagError = 0x20;

// "VFIO_USER_VERSION"; JSON with a terminating NUL may follow.
struct __attribute__((packed)) Version {
    uint16_t major;
    uint16_t minor;
};
static_assert(sizeof(Version) == 4);

inline constexpr uint16_t kMajor = 0;
inline constexpr uint16_t kMinor = 0;

// "VFIO_USER_DMA_MAP"; the descriptor, if any, comes as SCM_RIGHTS.
struct __attribute__((packed)) DmaMapRequest {
    uint32_t argsz;
    uint32_t flags;
    uint64_t offset;  // in the file
    uint64_t address;
    uint64_t size;
};
static_assert(sizeof(DmaMapRequest) == 32 && offsetof(DmaMapRequest, address) == 16);

inline constexpr uint32_t kDmaMapReadable = 1;
inline constexpr uint32_t kDmaMapWritable = 2;

// "VFIO_USER_DMA_UNMAP"; the reply repeats the request.
struct __attribute__((packed)) DmaUnmapRequest {
    uint32_t argsz;
    uint32_t flags;
    uint64_t address;
    uint64_t size;
};
static_assert(sizeof(DmaUnmapRequest) == 24 && offsetof(DmaUnmapRequest, address) == 8);

// VFIO_DMA_UNMAP_FLAG_ALL. The text of the protocol calls the flags unused; QEMU sets this one.
inline constexpr uint32_t kDmaUnmapAll = 2;

// "VFIO_USER_DEVICE_GET_INFO"
struct __attribute__((packed)) DeviceInfo {
    uint32_t argsz;
    uint32_t flags;
    uint32_t num_regions;
    uint32_t num_irqs;
};
static_assert(sizeof(DeviceInfo) == 16);

inline constexpr uint32_t kDeviceFlagReset = 1;
inline constexpr uint32_t kDeviceFlagPci = 2;

// VFIO_PCI_*_REGION_INDEX: 0 to 5 are the BARs.
inline constexpr uint32_t kRegionBars = 6;
inline constexpr uint32_t kRegionRom = 6;
inline constexpr uint32_t kRegionConfig = 7;
inline constexpr uint32_t kRegionVga = 8;
inline constexpr uint32_t kRegions = 9;

// VFIO_PCI_*_IRQ_INDEX. Error and request interrupts are not offered; QEMU asks nevertheless, and
// warns of a device that has none unless it is told that there is no such type.
inline constexpr uint32_t kIrqIntx = 0;
inline constexpr uint32_t kIrqMsi = 1;
inline constexpr uint32_t kIrqMsix = 2;
inline constexpr uint32_t kIrqError = 3;
inline constexpr uint32_t kIrqRequest = 4;
inline constexpr uint32_t kIrqs = 3;

// "VFIO_USER_DEVICE_GET_REGION_INFO"
struct __attribute__((packed)) RegionInfo {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t cap_offset;
    uint64_t size;
    uint64_t offset;
};
static_assert(sizeof(RegionInfo) == 32 && offsetof(RegionInfo, size) == 16);

inline constexpr uint32_t kRegionFlagRead = 1;
inline constexpr uint32_t kRegionFlagWrite = 2;

// "VFIO_USER_DEVICE_GET_IRQ_INFO"
struct __attribute__((packed)) IrqInfo {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t count;
};
static_assert(sizeof(IrqInfo) == 16);

inline constexpr uint32_t kIrqFlagEventfd = 1;

// "VFIO_USER_DEVICE_SET_IRQS"; one byte per interrupt follows with kIrqDataBool.
struct __attribute__((packed)) IrqSet {
    uint32_t argsz;
    uint32_t flags;
    uint32_t index;
    uint32_t start;
    uint32_t count;
};
static_assert(sizeof(IrqSet) == 20);

inline constexpr uint32_t kIrqDataNone = 1;
inline constexpr uint32_t kIrqDataBool = 2;
inline constexpr uint32_t kIrqDataEventfd = 4;
inline constexpr uint32_t kIrqDataMask = 7;
inline constexpr uint32_t kIrqActionMask = 8;
inline constexpr uint32_t kIrqActionUnmask = 16;
inline constexpr uint32_t kIrqActionTrigger = 32;

// "VFIO_USER_REGION_READ" and "VFIO_USER_REGION_WRITE"; data follows the reply to the first and
// the request of the second.
struct __attribute__((packed)) RegionAccess {
    uint64_t offset;
    uint32_t region;
    uint32_t count;
};
static_assert(sizeof(RegionAccess) == 16);

// "VFIO_USER_REGION_WRITE_MULTI": a 64-bit number of writes, then this for each.
struct __attribute__((packed)) SingleWrite {
    uint64_t offset;
    uint32_t region;
    uint32_t count;  // at most 8
    std::byte data[8];
};
static_assert(sizeof(SingleWrite) == 24 && offsetof(SingleWrite, data) == 16);

inline constexpr uint64_t kMaximumMultiWrites = 200;  // VFIO_USER_MULTI_MAX of QEMU

// What this server offers in the capabilities of its VERSION reply.
inline constexpr uint32_t kMaximumFds = 16;         // in one message; QEMU's own ceiling
inline constexpr uint32_t kMaximumTransfer = 4096;  // bytes in one region access
inline constexpr uint32_t kMaximumDmaMaps = 65535;
inline constexpr uint64_t kPageSizes = 4096;

// Longer than any message that these limits allow; a header that claims more ends the connection.
inline constexpr uint32_t kMaximumMessage = 16384;

}  // namespace zcrxlab::nic::vfio_user
