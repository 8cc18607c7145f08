// What matrix, merge and bisect take on the command line.
#include "vm/matrix_options.hpp"

#include <fmt/format.h>

#include <string>

namespace zcrxlab {

namespace {

// How the runs of a matrix or a bisection go, with `folder` for their results.
void add_run_options(CLI::App& command, MatrixOptions& options, const char* folder) {
    const char* how = "HOW";
    command.add_option("--jobs", options.jobs, "Runs side by side; each has VMs of its own")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostVms).description(""))
        ->capture_default_str()
        ->group(how);
    command.add_option("--vms", options.vms, "VMs of each run (default as \"run\" does)")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostVms).description(""))
        ->group(how);
    command.add_option("--timeout", options.vm.timeout, "Seconds after which a run is given up")
        ->type_name("S")
        ->capture_default_str()
        ->group(how);
    command
        .add_option("--out", options.vm.out, fmt::format("Folder for results (default {})", folder))
        ->type_name("DIR")
        ->group(how);
    const char* machine = "THE MACHINE";
    command.add_option("--cpus", options.vm.cpus, "CPUs of each guest")
        ->type_name("N")
        ->capture_default_str()
        ->group(machine);
    command.add_option("--memory", options.vm.memory, "Memory of each guest")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(machine);
    command.add_option("--accel", options.vm.accelerator, "As \"run\" takes it")
        ->type_name("auto|kvm|tcg")
        ->check(CLI::IsMember({"auto", "kvm", "tcg"}).description(""))
        ->capture_default_str()
        ->group(machine);
    command.add_option("--kernel-args", options.vm.kernel_arguments, "More kernel parameters")
        ->type_name("'ARG...'")
        ->group(machine);
}

void add_seed(CLI::App& command, MatrixOptions& options, const char* group) {
    command.add_option("--seed", options.vm.seed, "Seed for all that is random")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

}  // namespace

void add_matrix_options(CLI::App& command, MatrixOptions& options) {
    const char* what = "WHAT IS RUN";
    command
        .add_option("--kernels", options.kernels,
                    "By commas: all; newest, of each series; 7.2, the newest of it; 7.2.*, all of "
                    "it; 7.2.6..7.3.4; a full name, also of another flavour; a bzImage or folder, "
                    "with a slash. Stock kernels from 6.16 on (default newest)")
        ->type_name("LIST|all")
        ->group(what);
    command
        .add_option("--nic", options.nics,
                    "By commas: gve, nodev (default both), and netdevsim for kernels that "
                    "kernel-config/netdevsim/build has built it for")
        ->type_name("gve|netdevsim|nodev")
        ->group(what);
    command.add_option("--filter", options.filter, "These scenarios only, as \"run\" takes it")
        ->type_name("PATTERN")
        ->group(what);
    add_seed(command, options, what);
    command
        .add_option("--shard", options.share,
                    "This machine's share: the runs are dealt to N machines, and this is the I-th, "
                    "from 1 on")
        ->type_name("I/N")
        ->group(what);
    command
        .add_flag("--plan", options.plan,
                  "Print the kernels, as --kernels takes them, and on standard error the runs and "
                  "what has to be fetched; and stop")
        ->group(what);
    add_run_options(command, options, "zcrxlab-matrix");
}

void add_merge_options(CLI::App& command, MergeOptions& options) {
    command.add_option("from", options.from, "Folders of results")->required()->group("");
    command.add_option("--out", options.out, "Folder for the tables (default zcrxlab-matrix)")
        ->type_name("DIR")
        ->group("Options");
    command.footer(" DIR...");
}

void add_bisect_options(CLI::App& command, BisectOptions& options) {
    const char* what = "WHAT IS COMPARED";
    command.add_option("--good", options.good, "A stock kernel on which TEST passes")
        ->type_name("VERSION")
        ->required()
        ->group(what);
    command.add_option("--bad", options.bad, "One on which it fails; older or newer")
        ->type_name("VERSION")
        ->required()
        ->group(what);
    options.runs.nics = "gve";
    command.add_option("--nic", options.runs.nics, "As \"run\" has it")
        ->type_name("gve|nodev")
        ->check(CLI::IsMember({"gve", "nodev"}).description(""))
        ->capture_default_str()
        ->group(what);
    add_seed(command, options.runs, what);
    add_run_options(command, options.runs, "zcrxlab-bisect/TEST");
    command
        .add_flag("-v,--verbose", options.verbose,
                  "Show all that the tests say, also where they pass, and where the logs are")
        ->group("HOW");
    command.add_option("test", options.runs.filter, "As \"run --filter\" takes it")->group("");
    command.footer(" --good VERSION --bad VERSION TEST");
}

}  // namespace zcrxlab
