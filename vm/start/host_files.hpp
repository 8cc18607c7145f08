// Host files: this machine's files as those of a guest, or what takes their place.
#pragma once

#include "harness/base/result.hpp"
#include "vm/image/modules.hpp"
#include "vm/start/prepare.hpp"

namespace zcrxlab {

// Whether the kernel has what that takes.
bool can_have_host_files(const ModuleIndex& modules);

// A server for this machine's files and one for each writable folder, QEMU's devices for them, and
// the guest's mounts. ENOTDIR for a writable folder that is none; EPERM if the job
// has to hide something, and this machine does not let us. Else that is one of vm.notes.
Result<void> share_host_files(const GuestJob& job, const ResultsFolder& out,
                              const Progress& progress, PreparedVm& vm, GuestPlan& plan);

// Without: the program runs with its libraries and nothing else, so as root in the root folder.
void pack_instead(PreparedVm& vm, GuestPlan& plan);

}  // namespace zcrxlab
