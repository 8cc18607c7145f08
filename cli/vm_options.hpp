// Options that several commands share because they boot virtual machines.
#pragma once

#include <string>
#include <vector>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// VMs side by side.
inline constexpr unsigned kMostVms = 16;

// The machine and the run: --kernel to --print-command. `options` has to live as long as `app`.
void add_vm_options(CLI::App& app, VmOptions& options);

// The words of add_vm_options() and "--mutation" that make this machine again, but for --kernel and
// --nic: {"--cpus", "4", "--iommu"}. What is as it is by default has none.
std::vector<std::string> words_of_machine(const VmOptions& options);

// --icount, of commands that hold no time of the guest against one of this machine.
void add_icount_option(CLI::App& app, VmOptions& options);

// --silence, of commands whose guests run tests.
void add_silence_option(CLI::App& app, VmOptions& options);

}  // namespace zcrxlab
