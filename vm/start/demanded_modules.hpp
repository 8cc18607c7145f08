// Modules that a guest may ask for while it runs: shown, not packed, and loaded when asked for.
#pragma once

#include "harness/base/result.hpp"
#include "vm/start/prepare.hpp"

namespace zcrxlab {

// Gives the guest the folder of its kernel's modules and a modprobe, both in this machine's files.
// Where that cannot be had, one of vm.notes says so, and the guest only notes what it lacked.
void show_modules(const GuestJob& job, const ResultsFolder& out, const Progress& progress,
                  PreparedVm& vm, GuestPlan& plan);

}  // namespace zcrxlab
