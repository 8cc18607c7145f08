// ConfigSpace: how the registers are laid out, and which of their bits a guest may change.
#include "nic/transport/config_space.hpp"

#include <linux/pci_regs.h>

#include <bit>
#include <cstring>
#include <string>

#include "harness/base/endian.hpp"
#include "nic/transport/express_capability.hpp"

namespace zcrxlab::nic::vfio_user {

namespace {

// PCI Local Bus Specification 3.0, 6.1 (header type 0) and 6.8.2 (MSI-X), and the ECN "Advanced
// Capabilities for Conventional PCI"; names as in <linux/pci_regs.h>.
constexpr size_t kVendor = 0x00;
constexpr size_t kDevice = 0x02;
constexpr size_t kCommand = 0x04;
constexpr size_t kStatus = 0x06;
constexpr size_t kRevision = 0x08;
constexpr size_t kClass = 0x09;
constexpr size_t kCacheLineSize = 0x0c;
constexpr size_t kLatencyTimer = 0x0d;
constexpr size_t kBar = 0x10;
constexpr size_t kSubsystemVendor = 0x2c;
constexpr size_t kSubsystem = 0x2e;
constexpr size_t kCapabilities = 0x34;
constexpr size_t kInterruptLine = 0x3c;
constexpr size_t kMsix = 0x40;
// Behind MSI-X, or first: one of the two.
constexpr size_t kAdvanced = 0x4c;
constexpr size_t kAdvancedControl = kAdvanced + 4;
constexpr size_t kExpress = 0x4c;
static_assert(kExpress % 4 == 0 && kExpress + sizeof(ExpressCapability) <= ConfigSpace::kSize);

constexpr uint16_t kCommandMemory = 0x0002;
constexpr uint16_t kCommandMaster = 0x0004;
constexpr uint16_t kCommandParity = 0x0040;
constexpr uint16_t kCommandSerr = 0x0100;
constexpr uint16_t kCommandIntxDisable = 0x0400;
constexpr uint16_t kStatusCapabilities = 0x0010;
constexpr uint8_t kCapabilityMsix = 0x11;
constexpr uint8_t kCapabilityAdvanced = 0x13;
constexpr uint8_t kAdvancedLength = 6;
constexpr uint8_t kAdvancedPendingAndReset = 0x03;
constexpr std::byte kAdvancedReset{0x01};
constexpr uint16_t kMsixEnable = 0x8000;
constexpr uint16_t kMsixMaskAll = 0x4000;

// PCI Local Bus Specification 3.0, 6.2.5.1.
constexpr uint64_t kSmallestBar = 16;
constexpr uint64_t kLargestBar = uint64_t{1} << 31;
constexpr uint64_t kLargest64BitBar = uint64_t{1} << 63;
constexpr uint32_t kBar64Bit = PCI_BASE_ADDRESS_MEM_TYPE_64;
constexpr size_t kMsixEntry = 16;
constexpr uint16_t kMsixMaximum = 2048;

Result<void> check(const PciIdentity& identity) {
    for (unsigned bar = 0; bar < 6; bar++) {
        const uint64_t size = identity.bar_size[bar];
        const bool wide = identity.bar_is_64_bit[bar];
        if (wide && (size == 0 || bar == 5 || identity.bar_size[bar + 1] != 0 ||
                     identity.bar_is_64_bit[bar + 1]))
            return Error{EINVAL, "BAR " + std::to_string(bar) +
                                     " of 64 bits needs a size, and the number behind it free."};
        if (size == 0) continue;
        if (!std::has_single_bit(size) || size < kSmallestBar ||
            size > (wide ? kLargest64BitBar : kLargestBar))
            return Error{EINVAL, "BAR " + std::to_string(bar) + " has a size of " +
                                     std::to_string(size) +
                                     " bytes; it must be a power of two from 16 to 2 GiB, or to 8 "
                                     "EiB where it is one of 64 bits."};
    }
    if (identity.express) {
        const auto [speed, width] = *identity.express;
        if (speed < 1 || speed > 6 || !std::has_single_bit(width) || width > 16)
            return Error{EINVAL,
                         "A PCI Express link has speed 1 to 6, and 1, 2, 4, 8 or 16 lanes."};
    }
    if (identity.class_code > 0xffffff)
        return Error{EINVAL, "The class code of the PCI function has more than 24 bits."};
    if (identity.msix_vectors == 0) return {};
    if (identity.msix_vectors > kMsixMaximum)
        return Error{EINVAL, "A PCI function has at most 2048 MSI-X vectors."};
    uint64_t bar_size = identity.msix_bar < 6 ? identity.bar_size[identity.msix_bar] : 0;
    uint64_t table_end = uint64_t{identity.msix_table_offset} + identity.msix_vectors * kMsixEntry;
    uint64_t pending_end =
        uint64_t{identity.msix_pending_offset} + (identity.msix_vectors + 63u) / 64u * 8u;
    if (identity.msix_table_offset % 8 != 0 || identity.msix_pending_offset % 8 != 0 ||
        table_end > bar_size || pending_end > bar_size ||
        (identity.msix_table_offset < pending_end && identity.msix_pending_offset < table_end))
        return Error{EINVAL,
                     "The MSI-X table and its pending bits must lie apart, at multiples of 8, "
                     "inside the BAR named for them."};
    return {};
}

}  // namespace

template <typename T>
void ConfigSpace::put(size_t offset, T value, T writable) {
    std::memcpy(&value_[offset], &value, sizeof(value));
    std::memcpy(&writable_[offset], &writable, sizeof(writable));
}

void ConfigSpace::put_bars(const PciIdentity& identity) {
    for (unsigned bar = 0; bar < 6; bar++) {
        if (identity.bar_size[bar] == 0) continue;
        const uint64_t address = ~(identity.bar_size[bar] - 1);
        const size_t offset = kBar + bar * 4;
        if (!identity.bar_is_64_bit[bar]) {
            put<Le32>(offset, uint32_t{0}, static_cast<uint32_t>(address));
            continue;
        }
        put<Le32>(offset, kBar64Bit, static_cast<uint32_t>(address));
        put<Le32>(offset + 4, uint32_t{0}, static_cast<uint32_t>(address >> 32));
    }
}

void ConfigSpace::put_advanced() {
    put<uint8_t>(kAdvanced, kCapabilityAdvanced);
    put<uint8_t>(kAdvanced + 2, kAdvancedLength);
    put<uint8_t>(kAdvanced + 3, kAdvancedPendingAndReset);
    reset_at_ = kAdvancedControl;
    reset_bit_ = kAdvancedReset;
}

void ConfigSpace::put_express(const PciExpressLink& link) {
    ExpressCapability value{};
    ExpressCapability writable{};
    value.id = PCI_CAP_ID_EXP;
    value.flags = uint16_t{2 | PCI_EXP_TYPE_ENDPOINT << 4};  // version 2
    value.device_capabilities =
        uint32_t{PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR};
    // 7.5.3.4: what is on after a reset.
    value.device_control = uint16_t{PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_EXT_TAG |
                                    PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B};
    // Payloads are of 128 bytes at most, so that nothing can be chosen there.
    writable.device_control =
        uint16_t{PCI_EXP_DEVCTL_CERE | PCI_EXP_DEVCTL_NFERE | PCI_EXP_DEVCTL_FERE |
                 PCI_EXP_DEVCTL_URRE | PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_EXT_TAG |
                 PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ};
    value.link_capabilities = uint32_t{link.speed} | uint32_t{link.width} << 4;
    value.link_status = static_cast<uint16_t>(link.speed | link.width << PCI_EXP_LNKSTA_NLW_SHIFT);
    writable.link_control = uint16_t{PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB |
                                     PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES};
    value.device_capabilities_2 = uint32_t{PCI_EXP_DEVCAP2_COMP_TMOUT_DIS};
    writable.device_control_2 = uint16_t{PCI_EXP_DEVCTL2_COMP_TMOUT_DIS};
    // A bit for each speed up to the highest, from bit 1 on.
    value.link_capabilities_2 = (uint32_t{2} << link.speed) - 2;
    value.link_control_2 = uint16_t{link.speed};
    writable.link_control_2 = uint16_t{PCI_EXP_LNKCTL2_TLS};
    put(kExpress, value, writable);
    reset_at_ = kExpress + offsetof(ExpressCapability, device_control) + 1;
    reset_bit_ = std::byte{PCI_EXP_DEVCTL_BCR_FLR >> 8};
}

Result<ConfigSpace> ConfigSpace::create(const PciIdentity& identity) {
    if (auto checked = check(identity); !checked) return checked.error();
    ConfigSpace space;
    space.put<Le16>(kVendor, identity.vendor);
    space.put<Le16>(kDevice, identity.device);
    space.put<Le16>(kCommand, uint16_t{0},
                    static_cast<uint16_t>(kCommandMemory | kCommandMaster | kCommandParity |
                                          kCommandSerr | kCommandIntxDisable));
    space.put<uint8_t>(kRevision, identity.revision);
    space.put<uint8_t>(kClass, identity.class_code & 0xff);
    space.put<Le16>(kClass + 1, static_cast<uint16_t>(identity.class_code >> 8));
    space.put<uint8_t>(kCacheLineSize, 0, 0xff);
    space.put<uint8_t>(kLatencyTimer, 0, 0xff);
    space.put_bars(identity);
    space.put<Le16>(kSubsystemVendor, identity.subsystem_vendor);
    space.put<Le16>(kSubsystem, identity.subsystem);
    space.put<uint8_t>(kInterruptLine, 0, 0xff);
    space.put<Le16>(kStatus, kStatusCapabilities);
    const size_t last = identity.express ? kExpress : kAdvanced;
    if (identity.express)
        space.put_express(*identity.express);
    else
        space.put_advanced();
    space.put<uint8_t>(kCapabilities, static_cast<uint8_t>(last));
    if (identity.msix_vectors != 0) {
        space.put<uint8_t>(kCapabilities, kMsix);
        space.put<uint8_t>(kMsix, kCapabilityMsix);
        space.put<uint8_t>(kMsix + 1, static_cast<uint8_t>(last));
        space.put<Le16>(kMsix + 2, static_cast<uint16_t>(identity.msix_vectors - 1),
                        static_cast<uint16_t>(kMsixEnable | kMsixMaskAll));
        space.put<Le32>(kMsix + 4, identity.msix_table_offset | identity.msix_bar);
        space.put<Le32>(kMsix + 8, identity.msix_pending_offset | identity.msix_bar);
    }
    space.initial_ = space.value_;
    return space;
}

void ConfigSpace::read(size_t offset, std::span<std::byte> out) const {
    std::memcpy(out.data(), value_.data() + offset, out.size());
}

bool ConfigSpace::write(size_t offset, std::span<const std::byte> bytes) {
    for (size_t i = 0; i < bytes.size(); i++) {
        std::byte mask = writable_[offset + i];
        std::byte& value = value_[offset + i];
        value = (value & ~mask) | (bytes[i] & mask);
    }
    // The bit that asks for a reset always reads 0, so it is never stored.
    if (offset > reset_at_ || reset_at_ - offset >= bytes.size()) return false;
    return (bytes[reset_at_ - offset] & reset_bit_) != std::byte{0};
}

void ConfigSpace::reset() {
    value_ = initial_;
}

bool ConfigSpace::bus_master() const {
    return (static_cast<uint16_t>(value_[kCommand]) & kCommandMaster) != 0;
}

}  // namespace zcrxlab::nic::vfio_user
