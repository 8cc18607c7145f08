// Names and meanings of the options of zcrxlab repro.
#include "vm/repro_options.hpp"

namespace zcrxlab {

namespace {

// Its waits have bounds of ten seconds each, of which few can fail in one run.
constexpr unsigned kMostOfATrial = 300;

}  // namespace

void add_repro_options(CLI::App& command, ReproOptions& repro, ReproRunOptions& run,
                       ReproAgainOptions& again, std::function<int()>& chosen) {
    command
        .add_option("what", repro.what,
                    "A list of actions, the folder of a failure, or a trace.jsonl")
        ->group("");
    command.add_option("--test", repro.test, "The test whose trace it is, where there are several")
        ->type_name("NAME")
        ->group("Options");
    command.add_option("--as", repro.as, "What to make of it")
        ->type_name("c|list|script|bundle")
        ->check(CLI::IsMember({"c", "list", "script", "bundle"}).description(""))
        ->capture_default_str()
        ->group("Options");
    command
        .add_option("-o,--out", repro.out,
                    "Write here instead of to standard output; for a "
                    "bundle a folder")
        ->type_name("PATH")
        ->group("Options");
    command
        .add_option("--tree", repro.tree, "Kernel tree whose MAINTAINERS says who gets the mail")
        ->type_name("DIR")
        ->group("Options");
    command
        .add_option("--security", repro.security,
                    "Whether it could be a security bug; a bundle has to know, and asks otherwise")
        ->type_name("yes|no")
        ->check(CLI::IsMember({"yes", "no"}).description(""))
        ->group("Options");
    command
        .add_option("--vmlinux", repro.vmlinux,
                    "Symbols for the splat; default: those of a kernel that was built or fetched")
        ->type_name("FILE")
        ->group("Options");
    const auto tried = [&](const char* name, std::vector<std::string>& list, const char* text) {
        command.add_option(name, list, text)
            ->type_name("VERSION,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group("Options");
    };
    tried("--bad", repro.bad, "Kernels on which it was seen, for a bundle");
    tried("--good", repro.good, "Kernels on which it was not");
    command.footer(" FAILURE|LIST|TRACE");

    CLI::App& run_app = *command.add_subcommand(
        "run", "build such a C file, run it in a VM on each kernel, and say which are bad");
    run_app.add_option("file", run.file, "The C file")->required()->group("");
    const auto kernels = [&](const char* name, std::vector<std::string>& list, const char* text) {
        run_app.add_option(name, list, text)
            ->type_name("VERSION|FILE,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->group("Options");
    };
    kernels("--kernel", run.kernels, "Kernels, as \"zcrxlab run\" takes them");
    kernels("--bad", run.bad, "Kernels that must be bad");
    kernels("--good", run.good, "Kernels that must be good");
    run_app.add_option("--nic", run.vm.nic, "NIC for a file that wants one")
        ->type_name("gve|netdevsim")
        ->capture_default_str()
        ->group("Options");
    run_app.add_option("--memory", run.vm.memory, "Memory of the VM")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group("Options");
    run.vm.timeout = kMostOfATrial;
    run_app
        .add_option("--timeout", run.vm.timeout,
                    "Seconds from its start after which a kernel is bad that has let neither the "
                    "program nor the guest end")
        ->type_name("S")
        ->capture_default_str()
        ->group("Options");
    run_app.add_option("-o,--out", run.vm.out, "Folder for results; default: zcrxlab-repro")
        ->type_name("DIR")
        ->group("Options");
    run_app.add_flag("-v,--verbose", run.vm.verbose, "Show the console as it comes")
        ->group("Options");
    run_app.footer(" FILE.c");
    run_app.callback([&] {
        chosen = [&] {
            run.progress = progress_for_people();
            return repro_run_command(run);
        };
    });
    CLI::App& again_app = *command.add_subcommand(
        "again", "make lists of what was done in a run, run them, and say which did the same");
    again_app
        .add_option("folder", again.what,
                    "The folder of a run with --whole-trace, or its trace.jsonl")
        ->required()
        ->group("");
    again_app.add_option("--test", again.test, "Of these tests only; may have * and ?")
        ->type_name("NAME")
        ->group("Options");
    again_app.add_flag("--only-lists", again.only_lists, "Write the lists, and run nothing")
        ->group("Options");
    again_app.add_option("--kernel", again.run.vm.kernel, "Kernel, as \"zcrxlab run\" takes it")
        ->type_name("VERSION|FILE")
        ->group("Options");
    again_app.add_option("--nic", again.run.vm.nic, "NIC")
        ->type_name("gve|netdevsim|nodev")
        ->capture_default_str()
        ->group("Options");
    again_app.add_option("--memory", again.run.vm.memory, "Memory of a VM")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group("Options");
    again_app.add_option("--vms", again.run.vms, "VMs side by side, as \"zcrxlab run\" takes it")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostVms).description(""))
        ->group("Options");
    again_app.add_option("--timeout", again.run.vm.timeout, "Seconds after which the run ends")
        ->type_name("S")
        ->capture_default_str()
        ->group("Options");
    again_app
        .add_option("-o,--out", again.run.vm.out,
                    "Folder for lists and results; default: zcrxlab-again")
        ->type_name("DIR")
        ->group("Options");
    again_app.footer(" FOLDER");
    again_app.callback([&] { chosen = [&] { return repro_again_command(again); }; });
    command.callback([&command, &repro, &chosen] {
        if (!command.get_subcommands().empty()) return;
        if (repro.what.empty())
            throw CLI::ValidationError(
                "repro", "name a list of actions, the folder of a failure, or a trace.jsonl");
        chosen = [&] { return repro_command(repro); };
    });
}

}  // namespace zcrxlab
