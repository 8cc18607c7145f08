// How the options of "zcrxlab lab" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/lab/lab.hpp"
#include "cli/values.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_lab_options(CLI::App& app, LabOptions& options) {
    const char* ports = "THE PORTS";
    // Whether it is there is looked at later: another run may have put it into a namespace, and
    // that is what has to be said then.
    app.add_option("--nic", options.nic, "The port under test")
        ->check(any_text())
        ->type_name("IFNAME")
        ->group(ports);
    app.add_option("--peer", options.peer,
                   "The other end of its cable: a second port of this machine, which is put into "
                   "a network namespace of its own for the run; or a port of another machine, "
                   "which ssh reaches as root without a question, and which finds out itself "
                   "which port is meant if only one can be")
        ->check(any_text())
        ->type_name("[netns:]IFNAME|ssh:HOST[,IFNAME]")
        ->group(ports);
    app.add_option("--queue", options.queue,
                   "Zero-copy receive takes this queue and the three behind it")
        ->check(whole_number(1, 1024))
        ->type_name("N")
        ->capture_default_str()
        ->group(ports);
    app.add_flag("--yes", options.yes, "Do not ask before the ports are changed")->group(ports);
    app.add_flag("--plan", options.plan, "Show what would be done, and stop")->group(ports);
    const char* run = "THE RUN";
    auto* filter =
        app.add_option("--filter", options.filter,
                       "Run these only, as GoogleTest's filter: 'receive.*:tcp.*-*.slow*'")
            ->check(filter_of_scenarios())
            ->type_name("PATTERN")
            ->group(run);
    app.add_flag("--disruptive", options.disruptive,
                 "Also what disturbs others on the same card: reset, removal, loss of the link")
        ->group(run);
    app.add_flag("--lenient", options.lenient,
                 "Skip, in place of failing, what needs a feature that this kernel should have by "
                 "its version, and does not have")
        ->group(run);
    auto* bench =
        app.add_flag(
               "--bench", options.bench,
               "Measure instead (bench.receivers, or what --filter names): what a byte costs with "
               "zero-copy receive, with a buffer ring, and with plain recv; a table, bench.json "
               "and bench.svg")
            ->group(run);
    app.add_flag("--bring-up", options.bring_up,
                 "For authors of drivers: what asks a driver that has just got the queue API, and "
                 "what it says of that driver, stage by stage")
        ->excludes(filter)
        ->excludes(bench)
        ->group(run);
    app.add_flag("--fail-fast", options.fail_fast, "End with the first scenario that fails")
        ->group(run);
    app.add_option("--seed", options.seed, "Seed for all that is random")
        ->check(whole_number(0, UINT64_MAX))
        ->type_name("N")
        ->capture_default_str()
        ->group(run);
    app.add_option("--timeout", options.timeout, "Seconds after which the run is given up")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(run);
    app.add_option("--out", options.out, "Folder for results; default: zcrxlab-out, as for run")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group(run);
    app.add_flag("-v,--verbose", options.verbose, "Show what the scenario program says")
        ->group(run);
    auto* restore = app.add_subcommand(
        "restore", "puts back what runs have left that were killed, or cut off by a power loss");
    restore->add_option("nic", options.restore_nic, "Of this port only")
        ->check(any_text())
        ->type_name("IFNAME");
    auto* split = app.add_subcommand(
        "split",
        "switches the header split of a port on, and leaves it so, for programs of your own");
    split->add_option("nic", options.split_nic, "The port")
        ->check(interface_of_this_machine())
        ->type_name("IFNAME")
        ->required();
    split->add_flag("--off", options.split_off, "Off, in place of on");
    app.footer(" --nic IFNAME --peer [netns:]IFNAME");
    app.callback([&options, restore, split] {
        options.restore = restore->parsed();
        if (!options.restore && !split->parsed() && (options.nic.empty() || options.peer.empty()))
            throw CLI::RequiredError(options.nic.empty() ? "--nic" : "--peer");
    });
}

}  // namespace zcrxlab
