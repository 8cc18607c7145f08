// How the options of "zcrxlab repro" and of its two own commands are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/action_list_options.hpp"
#include "cli/repro/repro.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

void add_export_options(CLI::App& app, ReproExportOptions& options) {
    options.self = called_as();
    app.add_option("what", options.what,
                   "A list of actions, the folder of a failure, or a trace.jsonl")
        ->check(path_that_is_there())
        ->group("");
    app.add_option("--test", options.test, "The test whose trace it is, where there are several")
        ->check(any_text())
        ->type_name("NAME")
        ->group("Options");
    app.add_option("--as", options.as, "What to make of it")
        ->check(one_of({"c", "list", "script", "bundle"}))
        ->type_name("c|list|script|bundle")
        ->capture_default_str()
        ->group("Options");
    app.add_option("-o,--out", options.out,
                   "Write here instead of to standard output; for a "
                   "bundle a folder")
        ->check(path_to_write())
        ->type_name("PATH")
        ->group("Options");
    app.add_option("--tree", options.tree, "Kernel tree whose MAINTAINERS says who gets the mail")
        ->check(path_that_is_there())
        ->type_name("DIR")
        ->group("Options");
    app.add_option(
           "--security", options.security,
           "Whether it could be a security bug; a bundle has to know, and asks otherwise. What "
           "shows an embargoed finding is only made with \"yes\"")
        ->check(one_of({"yes", "no"}))
        ->type_name("yes|no")
        ->group("Options");
    app.add_option("--vmlinux", options.vmlinux,
                   "Symbols for the splat; default: those of a kernel that was built or fetched")
        ->check(path_that_is_there())
        ->type_name("FILE")
        ->group("Options");
    const auto tried = [&](const char* name, std::vector<std::string>& list, const char* text) {
        app.add_option(name, list, text)
            ->check(any_text())
            ->type_name("VERSION,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group("Options");
    };
    tried("--bad", options.bad,
          "Kernels on which the bug must show; default: those of the failure");
    tried("--good", options.good,
          "Kernels on which it must not; default: those of the failure, else the default kernel is "
          "tried");
    app.add_flag("--no-check", options.no_check, "Do not run what was made; it says so, then")
        ->group("Options");
    app.footer(" FAILURE|LIST|TRACE");
}

CLI::App& add_run_of_file(CLI::App& app, ReproRunOptions& options) {
    CLI::App& own = *app.add_subcommand(
        "run", "builds such a C file, runs it in a VM on each kernel, and says which are bad");
    own.add_option("file", options.file, "The C file")
        ->check(path_that_is_there())
        ->required()
        ->group("");
    const auto kernels = [&](const char* name, std::vector<std::string>& list, const char* text) {
        own.add_option(name, list, text)
            ->check(kernel_to_boot())
            ->type_name("VERSION|FILE,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group("Options");
    };
    kernels("--kernel", options.kernels, "Kernels, as \"zcrxlab run\" takes them");
    kernels("--bad", options.bad, "Kernels that must be bad");
    kernels("--good", options.good, "Kernels that must be good");
    own.add_option("--nic", options.vm.nic, "NIC for a file that wants one")
        ->check(nic_that_fits(is_in_matrix_with_a_device))
        ->type_name(nic_labels(is_in_matrix_with_a_device, "|"))
        ->capture_default_str()
        ->group("Options");
    own.add_option("--memory", options.vm.memory, "Memory of the VM")
        ->check(memory_of_a_guest())
        ->type_name("SIZE")
        ->capture_default_str()
        ->group("Options");
    options.vm.timeout = kMostOfATrial;
    own.add_option("--timeout", options.vm.timeout,
                   "Seconds from its start after which a kernel is bad that has let neither the "
                   "program nor the guest end")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group("Options");
    own.add_option("-o,--out", options.vm.out, "Folder for results; default: zcrxlab-repro")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group("Options");
    own.add_flag("-v,--verbose", options.vm.verbose, "Show the console as it comes")
        ->group("Options");
    own.footer(" FILE.c");
    return own;
}

CLI::App& add_again(CLI::App& app, ReproAgainOptions& options) {
    options.run.self = called_as();
    CLI::App& own = *app.add_subcommand(
        "again", "makes lists of what was done in a run, runs them, and says which did the same");
    own.add_option("folder", options.what,
                   "The folder of a run with --whole-trace, or its trace.jsonl")
        ->check(path_that_is_there())
        ->required()
        ->group("");
    own.add_option("--test", options.test, "Of these tests only; may have * and ?")
        ->check(any_text())
        ->type_name("NAME")
        ->group("Options");
    own.add_flag("--only-lists", options.only_lists, "Write the lists, and run nothing")
        ->group("Options");
    own.add_option("--kernel", options.run.vm.kernel, "Kernel, as \"zcrxlab run\" takes it")
        ->check(kernel_to_boot())
        ->type_name("VERSION|FILE")
        ->group("Options");
    own.add_option("--nic", options.run.vm.nic, "NIC")
        ->check(nic_that_fits(is_in_matrix))
        ->type_name(nic_labels(is_in_matrix, "|"))
        ->capture_default_str()
        ->group("Options");
    own.add_option("--memory", options.run.vm.memory, "Memory of a VM")
        ->check(memory_of_a_guest())
        ->type_name("SIZE")
        ->capture_default_str()
        ->group("Options");
    add_lenient_option(own, options.run.lenient, "Options");
    own.add_option("--vms", options.run.vms, "VMs side by side, as \"zcrxlab run\" takes it")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->group("Options");
    own.add_option("--timeout", options.run.vm.timeout, "Seconds after which the run ends")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group("Options");
    own.add_option("-o,--out", options.run.vm.out,
                   "Folder for lists and results; default: zcrxlab-again")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group("Options");
    own.footer(" FOLDER");
    return own;
}

}  // namespace

void add_repro_options(CLI::App& app, ReproOptions& options) {
    add_export_options(app, options.out);
    const CLI::App& run = add_run_of_file(app, options.run);
    const CLI::App& again = add_again(app, options.again);
    app.callback([&options, &run, &again] {
        if (run.parsed()) options.work = ReproOptions::Work::kRun;
        if (again.parsed()) options.work = ReproOptions::Work::kAgain;
        if (options.work == ReproOptions::Work::kExport && options.out.what.empty())
            throw CLI::ValidationError(
                "repro", "name a list of actions, the folder of a failure, or a trace.jsonl.");
    });
}

}  // namespace zcrxlab
