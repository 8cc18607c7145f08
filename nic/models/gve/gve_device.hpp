// GveDevice: one emulated gve NIC in DQO RDA format, between a PCI transport and a cable.
//
// Pure: it has no socket, thread or clock; everything happens inside the calls below, which must
// not overlap. Whatever a guest writes, no call fails, and none touches memory that Dma does not
// map.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nic/dma.hpp"
#include "nic/irq.hpp"
#include "nic/models/gve/gve_adminq.hpp"
#include "nic/models/gve/gve_config.hpp"
#include "nic/models/gve/gve_state.hpp"
#include "nic/nic_device.hpp"

namespace zcrxlab::nic {

class GveDevice : public NicDevice {
  public:
    // The references must outlive the device. Values of `config` outside their ranges are brought
    // into them.
    GveDevice(GveConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness);

    // PciDevice
    const PciIdentity& identity() const override { return identity_; }
    void bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) override;
    void bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) override;
    bool has_work() const override;
    void work() override;
    void reset() override;
    void set_bus_master(bool on) override { bus_master_ = on; }

    // WireDevice
    Accepted deliver(const Delivery& delivery) override;
    void end_of_burst() override;
    void set_link(bool up) override;
    // The driver resets the device, and loses flow rules and the RSS table by that.
    void request_reset() override;
    // It asks for a reset, and that is all that its driver knows.
    bool die() override { return false; }
    CommandFaults* command_faults() override { return &state_.context.command_faults; }
    std::vector<std::pair<std::string, uint64_t>> counters() const override;

    // What the driver said that it is ("GVE-1.0.0"); empty before it did.
    const std::string& driver_version() const { return driver_version_; }

  private:
    void register_write(uint64_t offset, std::span<const std::byte> bytes);
    void driver_status_write(uint32_t value);
    void driver_version_write(char letter);
    void doorbell(uint64_t slot, uint32_t value);
    // The driver waits for the interrupt of a block: see RxQueue::driver_waits().
    void driver_waits(uint16_t block);
    void bad_register(unsigned bar, uint64_t offset, size_t size);
    void bad_doorbell(std::string queue, std::string what);
    void stop_everything();
    // After anything that may have found the driver's rings to be unusable.
    void settle();

    gve::GveState state_;
    gve::AdminQueue admin_;
    PciIdentity identity_;
    std::string driver_version_;
    uint64_t adminq_base_ = 0;
    uint32_t adminq_length_ = 0;
    uint32_t driver_status_ = 0;
    uint32_t due_ = 0;  // receive queues with completions that no interrupt has told of, a bit each
    bool version_complete_ = false;
    bool bus_master_ = false;
    bool is_reset_ = true;
    bool reset_requested_ = false;
};

}  // namespace zcrxlab::nic
