// zcrxlab: the command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "vm/actions_options.hpp"
#include "vm/commands.hpp"
#include "vm/coverage_options.hpp"
#include "vm/exec_options.hpp"
#include "vm/lab_options.hpp"
#include "vm/manual.hpp"
#include "vm/matrix_options.hpp"
#include "vm/repro_options.hpp"
#include "vm/trace_options.hpp"
#include "vm/version.hpp"

namespace {

using zcrxlab::VmOptions;

// The options that every command with a VM has.
void add_vm_options(CLI::App& command, VmOptions& options) {
    const char* machine = "THE MACHINE";
    command
        .add_option(
            "--kernel", options.kernel,
            "Kernel version (\"7.2.12\", or a series: \"7.2\"), bzImage, or folder (a build "
            "tree or an unpacked package); default: the newest series known to work")
        ->type_name("VERSION|bzImage|DIR")
        ->group(machine);
    command
        .add_option(
            "--nic", options.nic,
            "gve: our emulated NIC with the stock driver; netdevsim: a NIC simulated by a "
            "driver of ours (kernel-config/netdevsim), netdevsim-stock: by the kernel's own, "
            "which must refuse; nodev: no NIC, copies only; vfio:0000:3b:00.0 (run only): a NIC of "
            "this machine, passed through")
        ->type_name("gve|netdevsim|netdevsim-stock|nodev|vfio:ADDRESS")
        ->capture_default_str()
        ->group(machine);
    command
        .add_option("--cpus", options.cpus,
                    "CPUs of the guest; default: 2, and 1 in each emulated VM beside the first one")
        ->type_name("N")
        ->check(CLI::Range(1U, 64U).description(""))
        ->group(machine);
    command.add_option("--memory", options.memory, "Memory of the guest")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(machine);
    command
        .add_option("--accel", options.accelerator,
                    "kvm, tcg (emulated), or auto: KVM where a guest really runs under it")
        ->type_name("auto|kvm|tcg")
        ->check(CLI::IsMember({"auto", "kvm", "tcg"}).description(""))
        ->capture_default_str()
        ->group(machine);
    command
        .add_flag("--iommu", options.iommu,
                  "Put an IOMMU between the guest's memory and its devices, with interrupt "
                  "remapping")
        ->group(machine);
    command
        .add_option("--fault", options.faults,
                    "Fault rule for the NIC (gve, netdevsim), as JSON; may be given several times. "
                    "Scenarios that make their own packets send none of them again")
        ->type_name("RULE")
        ->allow_extra_args(false)
        ->group(machine);
    command.add_option("--vm-args", options.vm_arguments, "More options for QEMU")
        ->type_name("'ARG...'")
        ->group(machine);
    command.add_option("--kernel-args", options.kernel_arguments, "More kernel parameters")
        ->type_name("'ARG...'")
        ->group(machine);
    const char* run = "THE RUN";
    command.add_option("--seed", options.seed, "Seed for all that is random")
        ->type_name("N")
        ->capture_default_str()
        ->group(run);
    command.add_option("--timeout", options.timeout, "Seconds after which the run is given up")
        ->type_name("S")
        ->capture_default_str()
        ->group(run);
    command
        .add_option("--out", options.out,
                    "Folder for results; default: zcrxlab-out, or zcrxlab-out-2 ... while another "
                    "run writes there")
        ->type_name("DIR")
        ->group(run);
    command.add_flag("-v,--verbose", options.verbose, "Show the console and notices as they come")
        ->group(run);
    command
        .add_flag("--print-command", options.print_command,
                  "Build the guest, print how to start it by hand, and stop")
        ->group(run);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("deterministic NIC faults and proof of zero copy for io_uring zero-copy receive",
                 "zcrxlab");
    app.formatter(std::make_shared<zcrxlab::ManualFormatter>());
    app.set_version_flag("--version", std::string("zcrxlab ") + zcrxlab::kVersion);
    app.require_subcommand(1);
    std::function<int()> chosen;

    zcrxlab::RunOptions run;
    run.self = argv[0];
    auto* run_app = app.add_subcommand("run", "boot a VM, run scenarios in it, report");
    add_vm_options(*run_app, run.vm);
    run_app
        ->add_option("--filter", run.filter,
                     "Run these only, as GoogleTest's filter: 'receive.*:tcp.*-*.slow*'")
        ->type_name("PATTERN")
        ->group("THE RUN");
    run_app
        ->add_option("--actions", run.actions,
                     "Run a list of actions from a file, or each *.actions below a folder, in "
                     "place of the scenarios")
        ->type_name("PATH")
        ->group("THE RUN");
    run_app
        ->add_flag("--controls", run.controls,
                   "Run the negative controls instead: each breaks one invariant on purpose and "
                   "has to be caught")
        ->group("THE RUN");
    run_app
        ->add_option("--mutation", run.vm.mutation,
                     "Let the emulated NIC make this mistake, which some scenario has to notice; "
                     "tests/mutations names those that there are")
        ->type_name("NAME")
        ->group("THE RUN");
    run_app
        ->add_flag("--fail-fast", run.fail_fast,
                   "End with the first scenario that fails; the others then count as lost")
        ->group("THE RUN");
    run_app
        ->add_flag(
            "--profiles", run.profiles,
            "Write into profile.jsonl after each scenario, not only at the end, what a kernel "
            "built for coverage has counted")
        ->group("THE RUN");
    run_app
        ->add_flag("--whole-trace", run.whole_trace,
                   "Keep every event, also of what passed, to make lists of actions of it")
        ->group("THE RUN");
    run_app
        ->add_option("--slowness", run.slowness,
                     "Multiplies every time bound of the scenarios; default: 1, and 10 on a kernel "
                     "with lockdep or kmemleak")
        ->type_name("X")
        ->check(CLI::Range(0.01, 1000.0).description(""))
        ->group("THE RUN");
    zcrxlab::add_silence_option(*run_app, run.vm);
    const char* cards = "A NIC OF THIS MACHINE";
    run_app
        ->add_option(
            "--peer", run.vm.peer,
            "With --nic vfio:ADDRESS: the function at the other end of its cable; default: "
            "the card's only other one")
        ->type_name("vfio:ADDRESS")
        ->group(cards);
    run_app->add_flag("--yes", run.vm.yes, "Do not ask before cards are taken from their drivers")
        ->group(cards);
    run_app
        ->add_option(
            "--vms", run.vms,
            "VMs side by side, to which the scenarios are dealt out; default: two for each "
            "processor, at most 8, or a single one if --filter or --controls is given")
        ->type_name("N")
        ->check(CLI::Range(1U, zcrxlab::kMostVms).description(""))
        ->group("THE RUN");
    run_app->callback([&] { chosen = [&] { return zcrxlab::run_command(run); }; });

    VmOptions shell;
    auto* shell_app = app.add_subcommand("shell", "boot the same VM with a prompt");
    add_vm_options(*shell_app, shell);
    shell_app->callback([&] { chosen = [&] { return zcrxlab::shell_command(shell); }; });

    zcrxlab::ExecOptions exec;
    auto* exec_app = app.add_subcommand(
        "exec", "run a program of this machine in the VM; its exit code is ours");
    add_vm_options(*exec_app, exec.vm);
    zcrxlab::add_exec_options(*exec_app, exec);
    exec_app->callback([&] {
        if (exec.arguments.empty() && !exec.examples) throw CLI::RequiredError("program");
        chosen = [&] {
            return exec.examples ? zcrxlab::exec_examples_command(argv[0])
                                 : zcrxlab::exec_command(exec);
        };
    });

    zcrxlab::LabOptions lab;
    std::string lab_restore;
    auto* lab_app = app.add_subcommand(
        "lab", "run scenarios on a real NIC of this machine, and put it back as it was");
    zcrxlab::add_lab_options(*lab_app, lab, lab_restore);
    lab_app->callback([&] {
        const bool restoring = !lab_app->get_subcommands().empty();
        if (!restoring && (lab.nic.empty() || lab.peer.empty()))
            throw CLI::RequiredError(lab.nic.empty() ? "--nic" : "--peer");
        chosen = [&, restoring] {
            return restoring ? zcrxlab::lab_restore_command(lab_restore)
                             : zcrxlab::lab_command(lab);
        };
    });

    VmOptions doctor;
    auto* doctor_app = app.add_subcommand(
        "doctor", "say what of this machine works, what does not, and what mends it");
    doctor_app->callback([&] { chosen = [&] { return zcrxlab::doctor_command(doctor); }; });

    std::string source;
    auto* source_app = app.add_subcommand(
        "source", "fetch what outside tests and modules are built from, and say where it is");
    source_app->add_option("what", source, "kernel: an archive; headers, liburing: folders")
        ->type_name("kernel|headers|liburing")
        ->required()
        ->check(CLI::IsMember({"kernel", "headers", "liburing"}).description(""));
    std::string source_version;
    source_app
        ->add_option("version", source_version,
                     "Of what: for kernel a series (\"7.2\"), for headers a kernel as run --kernel "
                     "takes it; default: the standard one")
        ->type_name("VERSION");
    source_app->callback(
        [&] { chosen = [&] { return zcrxlab::source_command(source, source_version); }; });

    bool json = false;
    auto* kernels_app =
        app.add_subcommand("kernels", "list the kernels that can be had and what is cached");
    kernels_app->add_flag("--json", json, "As JSON")->group("Options");
    std::string fetch;
    kernels_app->add_option("--fetch", fetch, "Only see to it that this one is in the cache")
        ->type_name("VERSION")
        ->group("Options");
    kernels_app->callback([&] { chosen = [&] { return zcrxlab::kernels_command(json, fetch); }; });

    zcrxlab::KernelBuildOptions build;
    auto* kernel_app = app.add_subcommand("kernel", "build a kernel of your own for run --kernel");
    kernel_app->require_subcommand(1);
    auto* build_app = kernel_app->add_subcommand(
        "build",
        "configure and build a kernel from your tree, or from Debian's source; the tree itself is "
        "not written to, and a second build compiles only what has changed");
    build_app
        ->add_option("--source", build.source,
                     "Kernel tree, or a series whose source package is fetched (\"7.3\")")
        ->type_name("DIR|SERIES")
        ->group("Options");
    build_app
        ->add_option(
            "--config", build.fragments,
            "Fragments of kernel-config/ beside \"base\" (debug, faults, coverage, netdevsim), or "
            "files of your own; later ones win")
        ->type_name("NAME|FILE,...")
        ->delimiter(',')
        ->group("Options");
    build_app->add_option("-o,--output", build.output, "Build here instead of in the cache")
        ->type_name("DIR")
        ->group("Options");
    build_app
        ->add_option("--name", build.name,
                     "Name for run --kernel; default: the source and the fragments, \"7.3-debug\"")
        ->type_name("NAME")
        ->group("Options");
    build_app->add_option("--jobs", build.jobs, "Compilers at once; default: one each processor")
        ->type_name("N")
        ->group("Options");
    build_app
        ->add_flag("--check", build.configure_only,
                   "Configure only; fails if a requested setting did not take")
        ->group("Options");
    build_app->callback([&] { chosen = [&] { return zcrxlab::kernel_build_command(build); }; });

    std::string list_filter;
    auto* list_app = app.add_subcommand("list", "list scenarios and what they need");
    list_app->add_option("--filter", list_filter, "These only")
        ->type_name("PATTERN")
        ->group("Options");
    list_app->add_flag("--json", json, "As JSON")->group("Options");
    list_app->callback([&] { chosen = [&] { return zcrxlab::list_command(list_filter, json); }; });

    std::string code, operation, interface;
    uint32_t queue = 0;
    auto* explain_app = app.add_subcommand(
        "explain", "say what can be behind an errno, and what of it this machine shows");
    explain_app->add_option("errno", code, "EEXIST, 17 or -17")->required()->group("");
    explain_app
        ->add_option("operation", operation,
                     "register, import, submit, receive, control or ethtool; default: all")
        ->group("");
    explain_app->add_option("--interface", interface, "Look at this interface of this machine, too")
        ->type_name("IF")
        ->group("Options");
    explain_app->add_option("--queue", queue, "... and at this receive queue of it")
        ->type_name("N")
        ->capture_default_str()
        ->group("Options");
    explain_app->footer(" ERRNO [register|import|submit|receive|control|ethtool]");
    explain_app->callback([&] {
        chosen = [&] { return zcrxlab::explain_command(code, operation, interface, queue); };
    });

    zcrxlab::CoverageOptions coverage;
    coverage.run.self = argv[0];
    auto* coverage_app = app.add_subcommand(
        "coverage", "run scenarios on a kernel that counts its lines, and show those never run");
    add_vm_options(*coverage_app, coverage.run.vm);
    zcrxlab::add_coverage_options(*coverage_app, coverage);
    coverage_app->callback([&] {
        chosen = [&] {
            return coverage.patches.empty() ? zcrxlab::coverage_command(coverage)
                                            : zcrxlab::mutate_command(coverage);
        };
    });

    zcrxlab::RunOptions bench;
    auto* bench_app =
        app.add_subcommand("bench", "measure, with QEMU's own NICs beside ours; a table and JSON");
    add_vm_options(*bench_app, bench.vm);
    bench_app->add_option("--filter", bench.filter, "These measurements only")
        ->type_name("PATTERN")
        ->group("THE RUN");
    bench_app->callback([&] { chosen = [&] { return zcrxlab::bench_command(bench); }; });

    zcrxlab::MatrixOptions matrix;
    matrix.self = argv[0];
    auto* matrix_app =
        app.add_subcommand("matrix", "run on many kernels; one table of all of them");
    zcrxlab::add_matrix_options(*matrix_app, matrix);
    matrix_app->callback([&] { chosen = [&] { return zcrxlab::matrix_command(matrix); }; });

    zcrxlab::BisectOptions bisect;
    bisect.runs.self = argv[0];
    auto* bisect_app =
        app.add_subcommand("bisect", "find the stock kernels between which a test changed");
    zcrxlab::add_bisect_options(*bisect_app, bisect);
    bisect_app->callback([&] { chosen = [&] { return zcrxlab::bisect_command(bisect); }; });

    zcrxlab::TraceOptions trace;
    auto* trace_app =
        app.add_subcommand("trace", "tell what happened in the scenarios of a run; text or a page");
    zcrxlab::add_trace_options(*trace_app, trace);
    trace_app->callback([&] { chosen = [&] { return zcrxlab::trace_command(trace); }; });

    zcrxlab::ReproOptions repro;
    zcrxlab::ReproRunOptions repro_run;
    repro.self = argv[0];
    zcrxlab::ReproAgainOptions repro_again;
    repro_again.run.self = argv[0];
    auto* repro_app = app.add_subcommand(
        "repro", "give a list of actions out as a C file, a script, or a bundle for a report");
    zcrxlab::add_repro_options(*repro_app, repro, repro_run, repro_again, chosen);

    zcrxlab::FuzzOptions fuzz;
    fuzz.self = argv[0];
    auto* fuzz_app = app.add_subcommand(
        "fuzz", "run random lists of actions, VM after VM, and keep those that fail");
    add_vm_options(*fuzz_app, fuzz.vm);
    zcrxlab::add_fuzz_options(*fuzz_app, fuzz);
    fuzz_app->callback([&] { chosen = [&] { return zcrxlab::fuzz_command(fuzz); }; });

    zcrxlab::ShrinkOptions shrink;
    shrink.self = argv[0];
    shrink.vm.nic.clear();
    auto* shrink_app = app.add_subcommand("shrink", "make a list that fails as small as it can be");
    add_vm_options(*shrink_app, shrink.vm);
    zcrxlab::add_shrink_options(*shrink_app, shrink);
    shrink_app->callback([&] { chosen = [&] { return zcrxlab::shrink_command(shrink); }; });

    zcrxlab::MergeOptions merge;
    auto* merge_app =
        app.add_subcommand("merge", "join the results of several machines into one table");
    zcrxlab::add_merge_options(*merge_app, merge);
    merge_app->callback([&] { chosen = [&] { return zcrxlab::merge_command(merge); }; });

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // 0 for --help and --version; everything else is wrong usage.
        return app.exit(error) == 0 ? 0 : zcrxlab::kExitUsage;
    }
    return chosen();
}
