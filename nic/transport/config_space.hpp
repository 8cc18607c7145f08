// ConfigSpace: the 256-byte PCI configuration space of one function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/base/result.hpp"
#include "nic/pci_device.hpp"

namespace zcrxlab::nic::vfio_user {

// MSI-X at 0x40, if there are vectors; behind it Advanced Features of conventional PCI or, of a PCI
// Express endpoint, that capability. Through either a guest can reset the function. Bits that a
// guest may not write keep their value.
class ConfigSpace {
  public:
    static constexpr size_t kSize = 256;

    // EINVAL, with a sentence, for an identity that no PCI function can have.
    static Result<ConfigSpace> create(const PciIdentity& identity);

    // The caller has checked that offset + size is at most kSize.
    void read(size_t offset, std::span<std::byte> out) const;
    // True if the guest asks for a function reset; the caller then resets device and space.
    [[nodiscard]] bool write(size_t offset, std::span<const std::byte> bytes);
    // Function reset: command, BARs and MSI-X control go back to 0.
    void reset();

    // Bit 2 of the command register: the function may start DMA and interrupts.
    bool bus_master() const;

  private:
    ConfigSpace() = default;
    template <typename T>
    void put(size_t offset, T value, T writable = {});
    void put_bars(const PciIdentity& identity);
    // Each puts the capability that ends the list.
    void put_advanced();
    void put_express(const PciExpressLink& link);

    std::array<std::byte, kSize> value_{};
    std::array<std::byte, kSize> initial_{};
    std::array<std::byte, kSize> writable_{};
    // The bit that asks for a function reset.
    size_t reset_at_ = 0;
    std::byte reset_bit_{};
};

}  // namespace zcrxlab::nic::vfio_user
