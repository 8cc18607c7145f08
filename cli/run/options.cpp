// How the options of "zcrxlab run" are written on the command line.
#include <CLI/CLI.hpp>
#include <string>

#include "cli/report/report.hpp"
#include "cli/run/run.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"
#include "harness/report/expected_counts.hpp"

namespace zcrxlab {

namespace {

// As CLI11 has it: empty, or what is wrong.
std::string is_expectation(const std::string& text) {
    const auto counts = expected_counts_from(text);
    return counts ? std::string() : counts.error().sentence;
}

}  // namespace

void add_run_options(CLI::App& app, RunOptions& options) {
    options.self = called_as();
    add_vm_options(app, options.vm);
    add_page_option(app, options.html);
    app.add_option("--actions", options.actions,
                   "Run a list of actions from a file, or each *.actions below a folder, in "
                   "place of the scenarios")
        ->check(actions_to_run())
        ->type_name("PATH")
        ->group("THE RUN");
    app.add_option("--filter", options.filter,
                   "Run these only, as GoogleTest's filter: 'receive.*:tcp.*-*.slow*'")
        ->check(filter_of_scenarios_or(options.actions))
        ->type_name("PATTERN")
        ->group("THE RUN");
    app.add_flag("--controls", options.controls,
                 "Run the negative controls instead: each breaks one invariant on purpose and "
                 "has to be caught")
        ->group("THE RUN");
    app.add_option("--mutation", options.vm.mutation,
                   "Let the emulated NIC make this mistake, which some scenario has to notice; "
                   "tests/mutations names those that there are")
        ->check(mutation_of(options.vm.nic))
        ->type_name("NAME")
        ->group("THE RUN");
    app.add_option(
           "--count", options.count,
           "Count the buffers (I5) \"always\": in each scenario that has received something, "
           "before its ring is closed; default: only in those that are about buffers, since "
           "a count takes half a second")
        ->check(one_of({"always"}))
        ->type_name("WHEN")
        ->excludes("--actions")
        ->excludes("--controls")
        ->group("THE RUN");
    app.add_flag("--fail-fast", options.fail_fast,
                 "End with the first scenario that fails; the others then count as lost. What may "
                 "take long comes last")
        ->group("THE RUN");
    app.add_flag("--profiles", options.profiles,
                 "Write into profile.jsonl after each scenario, not only at the end, what a kernel "
                 "built for coverage has counted, or which of its mistakes one of \"coverage "
                 "--generate\" came by")
        ->group("THE RUN");
    app.add_flag("--whole-trace", options.whole_trace,
                 "Keep every event, also of what passed, to make lists of actions of it")
        ->group("THE RUN");
    app.add_option("--expect", options.expect,
                   "Fail unless so many scenarios end so, of passed, known and skipped: for CI, "
                   "where a run that skips more than yesterday shall not stay green")
        ->type_name("STATUS=N,...")
        ->check(is_expectation)
        ->group("THE RUN");
    app.add_flag("--lenient", options.lenient,
                 "Skip what needs a feature that the kernel should have by its version, and does "
                 "not have; without this, that fails. For kernels that lack one on purpose")
        ->group("THE RUN");
    app.add_option("--slowness", options.slowness,
                   "Multiplies every time bound of the scenarios; default: 1, and 10 on a kernel "
                   "with lockdep or kmemleak")
        ->check(real_number(0.01, 1000))
        ->type_name("X")
        ->group("THE RUN");
    add_silence_option(app, options.vm);
    const char* cards = "A NIC OF THIS MACHINE";
    app.add_option("--peer", options.vm.peer,
                   "With --nic vfio:ADDRESS: the function at the other end of its cable; default: "
                   "the card's only other one")
        ->check(any_text())
        ->type_name("vfio:ADDRESS")
        ->group(cards);
    app.add_flag("--yes", options.vm.yes, "Do not ask before cards are taken from their drivers")
        ->group(cards);
    app.add_option("--vms", options.vms,
                   "VMs side by side, to which the scenarios are dealt out; default: two for each "
                   "processor, at most 8, or a single one if --filter or --controls is given")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->group("THE RUN");
}

}  // namespace zcrxlab
