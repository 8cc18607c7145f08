// QemuProgram: a QEMU that is new enough, from the system or from the cache, and how to start it.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/kernel/progress.hpp"

namespace zcrxlab {

struct QemuProgram {
    // What comes before QEMU's own options: the program, or a private loader with its library path
    // and the program, and -L options for firmware.
    std::vector<std::string> command;
    std::string version;  // "11.1.3"
    std::string origin;   // for people: "system" or "cache"
};

// A QEMU >= 10.1.1 that has vfio-user-pci; fetched into the cache if the system has none.
Result<QemuProgram> find_qemu(const Progress& progress);

enum class Accelerator { kKvm, kTcg };

// Whether a guest really runs under KVM here: boots a few instructions and waits at most about a
// second. ENODEV, EACCES or EIO with the reason and what mends it if not.
Result<void> probe_kvm(const QemuProgram& qemu);

}  // namespace zcrxlab
