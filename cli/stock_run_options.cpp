// Declares the options of commands that run scenarios on many stock kernels.
#include "cli/stock_run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_stock_run_options(CLI::App& app, MatrixOptions& options, const char* folder) {
    const char* how = "HOW";
    app.add_option("--jobs", options.jobs, "Runs side by side; each has VMs of its own")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->capture_default_str()
        ->group(how);
    app.add_option("--vms", options.vms, "VMs of each run (default as \"run\" does)")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->group(how);
    app.add_option("--timeout", options.vm.timeout, "Seconds after which a run is given up")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(how);
    app.add_flag("--lenient", options.lenient, "As \"run\" has it")->group(how);
    app.add_option("--out", options.vm.out, fmt::format("Folder for results (default {})", folder))
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group(how);
    const char* machine = "THE MACHINE";
    app.add_option("--cpus", options.vm.cpus, "CPUs of each guest")
        ->check(whole_number(1, 64))
        ->type_name("N")
        ->capture_default_str()
        ->group(machine);
    app.add_option("--memory", options.vm.memory, "Memory of each guest")
        ->check(memory_of_a_guest())
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(machine);
    app.add_option("--accel", options.vm.accelerator, "As \"run\" takes it")
        ->check(one_of({"auto", "kvm", "tcg"}))
        ->type_name("auto|kvm|tcg")
        ->capture_default_str()
        ->group(machine);
    app.add_option("--kernel-args", options.vm.kernel_arguments, "More kernel parameters")
        ->check(any_words())
        ->type_name("'ARG...'")
        ->group(machine);
}

void add_seed_option(CLI::App& app, MatrixOptions& options, const char* group) {
    app.add_option("--seed", options.vm.seed, "Seed for all that is random")
        ->check(whole_number(0, UINT64_MAX))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

}  // namespace zcrxlab
