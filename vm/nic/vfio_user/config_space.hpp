// ConfigSpace: the 256-byte PCI configuration space of one function.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/base/result.hpp"
#include "vm/nic/pci_device.hpp"

namespace zcrxlab::nic::vfio_user {

// Conventional PCI without a PCI Express capability: MSI-X at 0x40, and Advanced Features, through
// which a guest can reset the function. Bits that a guest may not write keep their value.
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
    void put(size_t offset, T value, T writable = 0);

    std::array<std::byte, kSize> value_{};
    std::array<std::byte, kSize> initial_{};
    std::array<std::byte, kSize> writable_{};
};

}  // namespace zcrxlab::nic::vfio_user
