// QemuProgram: a QEMU that is new enough, from the system or from the cache, and how to start it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

struct QemuProgram {
    // What comes before QEMU's own options: the program, or a private loader with its library path
    // and the program, and -L options for firmware.
    std::vector<std::string> command;
    std::string version;  // "11.1.3"
    std::string origin;   // for people: "system", "cache", or the path that ZCRXLAB_QEMU names
    std::filesystem::path set = {};  // its package set in the cache; empty: it is not from there
};

// A QEMU >= 10.1.1 that has vfio-user-pci: the one that ZCRXLAB_QEMU names (EINVAL if it does not
// fit), else the system's, else the cache's; fetched into the cache if there is none, or what is
// there is not what was fetched.
Result<QemuProgram> find_qemu(const Progress& progress);

// The same without fetching anything, and without a look whether the cache's is whole: ENOENT, with
// what is wrong with the system's, if there is none.
Result<QemuProgram> find_local_qemu();

enum class Accelerator { kKvm, kTcg };

// How fast KVM has to be: as hardware makes it, or anything, where a person insists on it. In a
// machine that is emulated itself it is still the faster way.
enum class KvmSpeed { kOfHardware, kAny };

// Whether a guest really runs under KVM here: a few instructions up to long mode, then QEMU's own
// firmware. Takes a tenth of a second where KVM works and waits at most about two, two minutes at
// any speed. ENODEV, EACCES or EIO with the reason and what mends it if not.
Result<void> probe_kvm(const QemuProgram& qemu, KvmSpeed speed = KvmSpeed::kOfHardware);

// The first half of it, for which no QEMU is needed.
Result<void> probe_kvm_device(KvmSpeed speed = KvmSpeed::kOfHardware);

// The second half, under either accelerator.
Result<void> probe_firmware(const QemuProgram& qemu, Accelerator accelerator,
                            KvmSpeed speed = KvmSpeed::kOfHardware);

// The parts of find_qemu that are pure functions.

// "11.1.3" from the output of qemu-system-x86_64 --version; empty if it is none.
std::string parse_qemu_version(const std::string& output);
// Whether the output of -device help lists vfio-user-pci.
bool lists_vfio_user(const std::string& output);

}  // namespace zcrxlab
