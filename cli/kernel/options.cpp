// How the options of "zcrxlab kernel" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/kernel/kernel.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_kernel_options(CLI::App& app, KernelBuildOptions& options) {
    app.require_subcommand(1);
    CLI::App& build =
        *app.add_subcommand("build",
                            "configures and builds a kernel from your tree, or from Debian's "
                            "source; the tree itself is "
                            "not written to, and a second build compiles only what has changed");
    build
        .add_option("--source", options.source,
                    "Kernel tree, or a series whose source package is fetched (\"7.3\")")
        ->check(any_text())
        ->type_name("DIR|SERIES")
        ->group("Options");
    build
        .add_option("--config", options.fragments,
                    "Fragments of kernel-config/ beside \"base\" (debug, kcsan, faults, "
                    "coverage, netdevsim, races), or files of your own; later ones win")
        ->check(any_text())
        ->type_name("NAME|FILE,...")
        ->delimiter(',')
        ->group("Options");
    build.add_option("-o,--output", options.output, "Build here instead of in the cache")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group("Options");
    build
        .add_option("--name", options.name,
                    "Name for run --kernel; default: the source and the fragments, \"7.3-debug\"")
        ->check(any_text())
        ->type_name("NAME")
        ->group("Options");
    build.add_option("--jobs", options.jobs, "Compilers at once; default: one each processor")
        ->check(whole_number(1, kMostCompilers))
        ->type_name("N")
        ->group("Options");
    build
        .add_flag("--check", options.configure_only,
                  "Configure only; fails if a requested setting did not take")
        ->group("Options");
}

}  // namespace zcrxlab
