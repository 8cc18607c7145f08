// The steps by which guest init makes a bare kernel usable: mounts, modules, ports.
#pragma once

#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// /proc, /sys, /dev and the rest; gives init the console as its standard streams.
Result<void> mount_everything();

// Writes one value into a file of /proc or /sys.
Result<void> write_value(const std::string& path, const std::string& value);

// Brings up the CPUs that the kernel has not: it is started with one where it is emulated.
Result<void> start_all_cpus();

// A file of the image goes into the kernel. A module that is there already is fine.
Result<void> load_module(const std::string& path);

// ENODEV if the kernel was told to use an IOMMU ("intel_iommu=on", one of the words of
// `parameters`) and drives none: then no device is in a group of /sys/kernel/iommu_groups.
Result<void> check_iommu(const std::string& parameters, bool has_groups);
// The same of this kernel.
Result<void> check_iommu();

// The device file of the virtio-serial port called `name`; waits for it. ETIMEDOUT after
// `bound` milliseconds.
Result<std::string> find_port(const std::string& name, int bound);

// Asks `ready` every two milliseconds; false if it never held.
template <typename Condition>
bool wait_until(int milliseconds, Condition ready) {
    for (int waited = 0;; waited += 2) {
        if (ready()) return true;
        if (waited >= milliseconds) return false;
        ::usleep(2000);
    }
}

// Lines of the kernel log that were not read before: "[    1.234567] text".
class KernelLog {
  public:
    std::vector<std::string> take();

  private:
    Fd kmsg_;
};

[[noreturn]] void power_off();

}  // namespace zcrxlab
