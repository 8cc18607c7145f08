// PciDevice: what a transport serves. One object is one PCI function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zcrxlab::nic {

// The link of a PCI Express endpoint.
struct PciExpressLink {
    uint8_t speed = 3;  // generation, 1 to 6: 3 = 8 GT/s
    uint8_t width = 8;  // lanes: 1, 2, 4, 8 or 16
};

// Identity and shape of the function, from which the transport builds its configuration space.
struct PciIdentity {
    uint16_t vendor = 0;
    uint16_t device = 0;
    uint8_t revision = 0;
    uint32_t class_code = 0;  // 24 bits, 0x020000 = Ethernet controller
    uint16_t subsystem_vendor = 0;
    uint16_t subsystem = 0;
    uint64_t bar_size[6] = {};  // bytes, a power of two, 0 = none; all BARs are memory
    // The BAR takes 64-bit addresses, and the number behind it, too, whose size has to be 0.
    bool bar_is_64_bit[6] = {};
    // Of a PCI Express endpoint; without it the function is one of conventional PCI.
    std::optional<PciExpressLink> express = {};
    uint16_t msix_vectors = 0;  // at most 2048
    uint8_t msix_bar = 0;
    uint32_t msix_table_offset = 0;
    uint32_t msix_pending_offset = 0;
};

class PciDevice {
  public:
    virtual ~PciDevice() = default;

    virtual const PciIdentity& identity() const = 0;
    // A guest access inside BAR `bar`; the transport has checked bar, offset and that the length is
    // 1, 2, 4 or 8 bytes within it. Bytes are in guest memory order. The MSI-X table never gets
    // here.
    virtual void bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) = 0;
    virtual void bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) = 0;
    // An access may ask for more than it may take time for. Whether something of that is left; and
    // does a part of it, no more than an access may. Called between messages while there is some.
    virtual bool has_work() const { return false; }
    virtual void work() {}
    // PCI function reset (guest or QEMU). Afterwards no DMA and no interrupt until set up again.
    virtual void reset() = 0;
    // Bus mastering was turned on or off; while off the device must not touch guest memory.
    virtual void set_bus_master(bool on) = 0;
};

}  // namespace zcrxlab::nic
