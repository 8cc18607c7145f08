// DummyDevice: a network card that no driver takes, and that counts what it is asked: the smallest
// model there can be, for tests of what is around models.
#pragma once

#include <cstdint>

#include "nic/nic_device.hpp"

namespace zcrxlab::nic {

class DummyDevice : public NicDevice {
  public:
    // Of those that QEMU's docs/specs/pci-ids.rst keeps free for experiments.
    static constexpr uint16_t kVendor = 0x1af4;
    static constexpr uint16_t kDevice = 0x10f0;
    static constexpr uint64_t kBarSize = 1 << 20;

    DummyDevice();

    const PciIdentity& identity() const override { return identity_; }
    void bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) override;  // zeros
    void bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) override;
    void reset() override { ++resets_; }
    void set_bus_master(bool) override {}

    Accepted deliver(const Delivery&) override { return Accepted::kNotRunning; }
    void end_of_burst() override {}
    void set_link(bool) override {}
    void request_reset() override {}
    bool die() override { return false; }
    CommandFaults* command_faults() override { return nullptr; }
    std::vector<std::pair<std::string, uint64_t>> counters() const override;

  private:
    PciIdentity identity_;
    uint64_t reads_ = 0, writes_ = 0, resets_ = 0;
};

}  // namespace zcrxlab::nic
