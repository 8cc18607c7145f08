// First boot: a guest whose kernel has booted before goes on from there, in a twentieth of the
// time.
//
// What is saved has no devices, only init that waits for an image (vm/guest/init/late_image.hpp);
// the virtual machine's own devices appear as it goes on. Only emulated guests are saved: with KVM
// a boot takes a second.
#pragma once

#include <span>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"
#include "vm/start/prepare.hpp"

namespace zcrxlab {

enum class SaveWhen {
    kAtOnce,      // several virtual machines go on from it right now
    kSecondTime,  // for one, saving takes longer than it spares; for whoever comes back it does not
};

// Gives each machine its QEMU command: it boots, or goes on from a saved guest, for which it may
// have to be booted and saved first. What fails of that is said, and the machine boots. EINTR: a
// signal asked us to stop meanwhile.
Result<void> choose_start(std::span<PreparedVm> vms, SaveWhen when, const Progress& progress);

}  // namespace zcrxlab
