// What passthrough must know before it takes a card from its driver; it reads and changes
// nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/pci_function.hpp"

namespace zcrxlab {

// A NIC for a guest, as a person named it.
struct PassthroughOrder {
    std::string nic;   // PCI address of the function under test
    std::string peer;  // of the function at the other end of its cable; empty: the card's other one
    uint64_t guest_memory = 0;  // bytes
};

struct PassthroughFacts {
    PciFunction nic, peer;
    // Every other function that shares an IOMMU group with one of the two.
    std::vector<PciFunction> neighbours;
    bool iommu = false;     // the kernel has made groups
    bool vfio_pci = false;  // its driver is loaded
    uint64_t memlock = 0;   // bytes that we may lock; UINT64_MAX: any number
    bool may_lock = false;  // the limit does not count (CAP_IPC_LOCK)
    uint64_t guest_memory = 0;
};

// "vfio:0000:3b:00.0" or "0000:3b:00.0" as the address. EINVAL for anything else.
Result<std::string> function_named(const std::string& text);

// The kernel module that a guest needs for the function: that of the driver that it has here, or
// where it has none of a NIC, the one known for its vendor. Empty if none is known.
std::string module_for_guest(const PciFunction& function);

// From /sys and /proc below `root` ("/" on this machine). ENODEV for a function that is not there;
// EINVAL where no peer was named and the card has not just one other function.
Result<PassthroughFacts> passthrough_in_tree(const std::filesystem::path& root,
                                             const PassthroughOrder& order);

// A sentence for each reason why the two cannot be given to a guest, with what to type.
std::vector<std::string> why_not_to_pass(const PassthroughFacts& facts);

}  // namespace zcrxlab
