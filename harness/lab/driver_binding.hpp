// Which driver has a PCI function: taking it from one, giving it to another, giving it back.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/lab/pci_function.hpp"

namespace zcrxlab {

// A line for a file of /sys.
struct SysfsWrite {
    std::filesystem::path file;  // absolute, as on this machine
    std::string text;            // without its newline
    bool operator==(const SysfsWrite&) const = default;
};
// "echo vfio-pci > /sys/..."
std::string command_of(const SysfsWrite& write);

// What takes the function from the driver that has it and gives it to `driver`; nothing else may
// take it from then on. None if that is so already.
std::vector<SysfsWrite> steps_to_driver(const PciFunction& now, const std::string& driver);
// What brings driver, override and power management back to `before`.
std::vector<SysfsWrite> steps_back(const PciFunction& now, const PciFunction& before);

// The bus: what a function is like, and a line for a file of it.
struct PciBus {
    std::function<Result<PciFunction>(const std::string& address)> read;
    std::function<Result<void>(const SysfsWrite& write)> write;

    // That of this machine. A write is given up with ETIMEDOUT if the kernel does not come back
    // within 30 s, as it does not while somebody holds the device.
    static PciBus of_this_machine();
};

// Brings the function back to what it was. Where its driver does not take it at once, the function
// is reset, and then removed and found again, each of them once. Empty if all is as it was; else a
// line for each thing that is not, and why. `each` is told of each command before it is done.
std::vector<std::string> give_back(const PciBus& bus, const PciFunction& before,
                                   const std::function<void(const std::string& command)>& each);

}  // namespace zcrxlab
