// zcrxlab run: boots VMs, runs scenarios in them, judges and reports.
#pragma once

#include <string>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct RunOptions {
    VmOptions vm;
    std::string filter;        // of GoogleTest; "" = all
    std::string actions;       // a list of actions, or a folder of such, in place of the scenarios
    bool controls = false;     // the negative controls, which must fail
    std::string count;         // when buffers are counted: "always", or "" = where scenarios do
    bool fail_fast = false;    // the first failure ends the run
    bool whole_trace = false;  // keep every event, also of what passed
    std::string slowness;      // multiplies every time bound; "" = as the kernel needs
    bool lenient = false;      // features that the kernel should have may be missing
    std::string expect;        // "skipped=19": how many end how, or the run fails; "" = any number
    bool profiles = false;     // of a kernel built for coverage: one after each scenario
    std::string html;          // a page of the results goes there; "" = none
    unsigned vms = 0;          // side by side, each with a part of the scenarios; 0 = as fits
    // How this program was called, for the command that runs one scenario again.
    std::string self;
};

void add_run_options(CLI::App& app, RunOptions& options);
std::string run_manual();
// Returns the exit codes that README.md lists.
int run_command(const RunOptions& options);

}  // namespace zcrxlab
