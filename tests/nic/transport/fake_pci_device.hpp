// FakePciDevice: a PCI function that remembers what the transport did to it, and aborts the test if
// the transport breaks its promises.
#pragma once

#include <bit>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "nic/pci_device.hpp"

namespace zcrxlab::nic {

class FakePciDevice : public PciDevice {
  public:
    struct Write {
        unsigned bar;
        uint64_t offset;
        std::vector<std::byte> bytes;
    };

    FakePciDevice() {
        shape.vendor = 0x1ae0;
        shape.device = 0x0042;
        shape.revision = 1;
        shape.class_code = 0x020000;
        shape.subsystem_vendor = 0x1234;
        shape.subsystem = 0x5678;
        shape.bar_size[0] = 4096;
        shape.bar_size[1] = 4096;
        shape.bar_size[2] = 65536;
        shape.msix_vectors = 33;
        shape.msix_bar = 1;
        shape.msix_table_offset = 0;
        shape.msix_pending_offset = 0x800;
    }

    const PciIdentity& identity() const override { return shape; }
    // Byte n of a BAR reads as n + 0x10 * bar.
    void bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) override {
        check(bar, offset, out.size());
        reads += 1;
        for (size_t i = 0; i < out.size(); i++)
            out[i] = static_cast<std::byte>((offset + i + 0x10 * bar) & 0xff);
    }
    void bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) override {
        check(bar, offset, bytes.size());
        if (on_write) {
            on_write(bar, offset, bytes);
        } else {
            writes.push_back({bar, offset, {bytes.begin(), bytes.end()}});
        }
    }
    void reset() override { resets += 1; }
    void set_bus_master(bool on) override {
        if (on == bus_master) std::abort();
        bus_master = on;
    }

    PciIdentity shape;
    std::function<void(unsigned, uint64_t, std::span<const std::byte>)> on_write;
    std::vector<Write> writes;
    int reads = 0;
    int resets = 0;
    bool bus_master = false;

  private:
    void check(unsigned bar, uint64_t offset, size_t length) const {
        bool inside =
            bar < 6 && offset < shape.bar_size[bar] && length <= shape.bar_size[bar] - offset;
        bool in_table = bar == shape.msix_bar && offset < shape.msix_table_offset + 16u * 33;
        if (!inside || in_table || length > 8 || !std::has_single_bit(length)) std::abort();
    }
};

}  // namespace zcrxlab::nic
