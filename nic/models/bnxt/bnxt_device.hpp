// BnxtDevice: one emulated bnxt NIC, between a PCI transport and a cable.
//
// Pure: it has no socket, thread or clock; everything happens inside the calls below, which must
// not overlap. Whatever a guest writes, no call fails, and none touches memory that Dma does not
// map.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nic/dma.hpp"
#include "nic/irq.hpp"
#include "nic/models/bnxt/datapath/bnxt_config.hpp"
#include "nic/models/bnxt/datapath/bnxt_state.hpp"
#include "nic/models/bnxt/firmware/bnxt_commands.hpp"
#include "nic/models/bnxt/firmware/bnxt_hwrm.hpp"
#include "nic/nic_device.hpp"

namespace zcrxlab::nic {

class BnxtDevice : public NicDevice {
  public:
    // The references must outlive the device. Values of `config` outside their ranges are brought
    // into them.
    BnxtDevice(BnxtConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness);

    // PciDevice
    const PciIdentity& identity() const override { return identity_; }
    void bar_read(unsigned bar, uint64_t offset, std::span<std::byte> out) override;
    void bar_write(unsigned bar, uint64_t offset, std::span<const std::byte> bytes) override;
    bool has_work() const override;
    void work() override;
    void reset() override;
    void set_bus_master(bool on) override;

    // WireDevice
    Accepted deliver(const Delivery& delivery) override;
    void end_of_burst() override;
    void set_link(bool up) override;
    // Told to the log only if the driver has no queue for events: its interface is down.
    void request_reset() override;
    bool die() override;
    CommandFaults* command_faults() override { return &state_.context.command_faults; }
    std::vector<std::pair<std::string, uint64_t>> counters() const override;

  private:
    // Back to power-on.
    void forget();
    void register_write(uint64_t offset, std::span<const std::byte> bytes);
    void doorbell_write(uint64_t offset, std::span<const std::byte> bytes);
    void doorbell(const bnxt::Doorbell& doorbell);
    void command_done(uint16_t ring, uint16_t sequence);
    void bad_register(unsigned bar, uint64_t offset, size_t size);

    bnxt::BnxtState state_;
    bnxt::Commands commands_;
    bnxt::Hwrm hwrm_;
    PciIdentity identity_;
    std::optional<uint32_t> half_doorbell_;  // the low half of one that comes in two
    bool bus_master_ = false;
    bool dead_ = false;  // then bus_master_ is false, whatever the driver has set
};

}  // namespace zcrxlab::nic
