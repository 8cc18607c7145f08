// Host root: the host's files as the guest's, each folder of it a virtiofs file system.
#pragma once

#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"

namespace zcrxlab {

// Makes the share at "/" the guest's root, read-only below a layer in memory, with the file systems
// of init (/dev, /proc, /sys, /run) on top; mounts the other shares in it and makes the plan's
// copies. Afterwards nothing of the image is reached by a path. ENODEV: the kernel has no virtiofs
// or no overlay.
Result<void> enter_host_root(const GuestPlan& plan);

}  // namespace zcrxlab
