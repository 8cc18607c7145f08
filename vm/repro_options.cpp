// Names and meanings of the options of zcrxlab repro.
#include "vm/repro_options.hpp"

namespace zcrxlab {

void add_repro_options(CLI::App& command, ReproOptions& repro, ReproRunOptions& run,
                       std::function<int()>& chosen) {
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
                    "Whether it could be a security bug; a bundle has to know")
        ->type_name("yes|no")
        ->check(CLI::IsMember({"yes", "no"}).description(""))
        ->group("Options");
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
    run_app.add_option("--timeout", run.vm.timeout, "Seconds after which a kernel is given up")
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
    command.callback([&command, &repro, &chosen] {
        if (!command.get_subcommands().empty()) return;
        if (repro.what.empty())
            throw CLI::ValidationError(
                "repro", "name a list of actions, the folder of a failure, or a trace.jsonl");
        chosen = [&] { return repro_command(repro); };
    });
}

}  // namespace zcrxlab
