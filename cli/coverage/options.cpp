// How the options of "zcrxlab coverage" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/coverage/coverage.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_coverage_options(CLI::App& app, CoverageOptions& options) {
    options.run.self = called_as();
    add_vm_options(app, options.run.vm);
    const char* run = "THE RUN";
    app.add_option("--filter", options.run.filter, "These scenarios only")
        ->check(filter_of_scenarios())
        ->type_name("PATTERN")
        ->group(run);
    app.add_option("--vms", options.run.vms, "VMs side by side; default as \"run\" has it")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->group(run);
    const char* report = "THE REPORT";
    app.add_option("--from", options.from,
                   "Run nothing; report on what an earlier run with --out DIR has left there")
        ->check(path_that_is_there())
        ->type_name("DIR")
        ->group(report);
    app.add_option("--beside", options.beside,
                   "A column more: what a run of something else on the same kernel has left in "
                   "DIR; \"zcrxlab exec --out DIR\" runs any program. May be given several times")
        ->check(any_text())
        ->type_name("NAME=DIR")
        ->allow_extra_args(false)
        ->group(report);
    app.add_flag("--check", options.check,
                 "Fail also where kernel-config/coverage.unreached does not fit: a reason for a "
                 "function of which every line was run, or none for one of which some was not; the "
                 "reasons are about gve and bnxt together (--also bnxt). With --generate, where "
                 "kernel-config/unnoticeable does not fit")
        ->group(report);
    const char* mutate = "CHANGED KERNELS";
    app.add_option("--mutate", options.patches,
                   "Count nothing; build the kernel with each of these patches in turn, run the "
                   "scenarios until one fails that passes without it, and say which are noticed")
        ->check(path_that_is_there())
        ->type_name("FILE.patch...")
        ->group(mutate);
    app.add_option(
           "--generate", options.generate,
           "The same, with mistakes that a rule makes of these sources of the kernel: calls "
           "and assignments left out, conditions always or never true, operators exchanged, "
           "numbers one off, errors that are success, flags that are missing")
        ->check(any_text())
        ->type_name("FILE,...")
        ->delimiter(',')
        ->group(mutate);
    app.add_option("--sample", options.sample,
                   "So many of each source, drawn by lot with --seed; default: all")
        ->check(whole_number(1, 1'000'000))
        ->type_name("N")
        ->group(mutate);
    app.add_flag(
           "--try-none", options.try_none,
           "Of --generate: build and run nothing; only say what is known (--out, --join), and "
           "whether kernel-config/unnoticeable fits these sources")
        ->group(mutate);
    app.add_option("--also", options.also,
                   "The scenarios run on these NICs, too: each has a column of its own, and the "
                   "reasons are about what none has reached. Of --generate: they run there where "
                   "nobody on --nic has noticed")
        ->check(nics_that_fit(is_in_matrix))
        ->type_name("NIC,...")
        ->delimiter(',')
        ->group(report);
    app.add_option("--shard", options.share,
                   "This machine's share of the mistakes of --generate: they are dealt to N "
                   "machines, and this is the I-th, from 1 on")
        ->check(any_text())
        ->type_name("I/N")
        ->group(mutate);
    app.add_option("--at-once", options.at_once,
                   "Mistakes of --generate that are tried at the same time, each in one VM unless "
                   "--vms says more; default: one each processor")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->group(mutate);
    app.add_option("--join", options.join,
                   "What these calls of --generate have found with their --out DIR counts as found "
                   "here; what they have tried is not tried again")
        ->check(path_that_is_there())
        ->type_name("DIR,...")
        ->delimiter(',')
        ->group(mutate);
    app.add_option("--left-by", options.left_by,
                   "Of --generate: only mistakes that nobody noticed in the calls with these "
                   "--out DIR, to ask another kernel or machine about them (--config, --iommu)")
        ->check(path_that_is_there())
        ->type_name("DIR,...")
        ->delimiter(',')
        ->group(mutate);
    app.add_option("--source", options.source,
                   "The kernel to change: a tree, which is never written to, or a series")
        ->check(any_text())
        ->type_name("DIR|SERIES")
        ->group(mutate);
    app.add_option("--config", options.fragments, "Its fragments beside \"base\" (default faults)")
        ->check(any_text())
        ->type_name("NAME|FILE,...")
        ->delimiter(',')
        ->group(mutate);
    app.add_option("--jobs", options.jobs, "Compilers at once; default: one each processor")
        ->check(whole_number(1, kMostCompilers))
        ->type_name("N")
        ->group(mutate);
}

}  // namespace zcrxlab
