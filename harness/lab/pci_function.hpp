// A function on the PCI bus: what it is, which driver has it, and what it can do for a guest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// A window of memory that a function answers to.
struct PciBar {
    unsigned number = 0;
    uint64_t size = 0;     // bytes
    bool assigned = true;  // it has a place on the bus
    bool operator==(const PciBar&) const = default;
};

struct PciFunction {
    std::string address;          // "0000:3b:00.0"
    std::string vendor, device;   // "0x14e4"
    std::string kind;             // class: "0x020000"
    std::string driver;           // empty: none has it
    std::string driver_override;  // the only driver that may take it; empty: any
    std::string power_control;    // "on" or "auto"; empty if the kernel has no power management
    std::string group;            // of the IOMMU; empty: there is no IOMMU
    // All of the group, this one too. Those that are bridges stay where they are.
    std::vector<std::string> members;
    // Other functions of the same card (slot), whatever their group.
    std::vector<std::string> siblings;
    std::vector<std::string> reset_methods;  // "flr", "bus" ...
    std::vector<std::string> interfaces;     // of the network
    std::vector<PciBar> bars;                // those in memory
    unsigned interrupt_vectors = 0;          // of MSI-X
    bool virtual_function = false;
    unsigned virtual_functions = 0;  // switched on

    bool is_network() const { return kind.starts_with("0x02"); }
    // Of PCI, not to ISA: such a one has no memory of its own to protect.
    bool is_bridge() const { return kind.starts_with("0x0604") || kind.starts_with("0x0609"); }
    bool operator==(const PciFunction&) const = default;
};

// "0000:3b:00.0"
bool is_pci_address(std::string_view text);

// From /sys below `root` ("/" on this machine). EINVAL for what is no address, ENODEV where there
// is no such function.
Result<PciFunction> read_function(const std::filesystem::path& root, const std::string& address);

// The vectors of the MSI-X capability in a configuration space; 0 if there is none, or if not all
// of the space could be read.
unsigned msix_vectors(std::span<const std::byte> configuration);
// The windows in memory, from the text of the attribute "resource".
std::vector<PciBar> memory_bars(std::string_view resource);

}  // namespace zcrxlab
