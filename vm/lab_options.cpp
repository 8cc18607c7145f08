// What lab takes on the command line.
#include "vm/lab_options.hpp"

namespace zcrxlab {

void add_lab_options(CLI::App& command, LabOptions& options, std::string& restore_nic) {
    const char* ports = "THE PORTS";
    command.add_option("--nic", options.nic, "The port under test")
        ->type_name("IFNAME")
        ->group(ports);
    command
        .add_option("--peer", options.peer,
                    "The other end of its cable: a second port of this machine, which is put into "
                    "a network namespace of its own for the run; or a port of another machine, "
                    "which ssh reaches as root without a question, and which finds out itself "
                    "which port is meant if only one can be")
        ->type_name("[netns:]IFNAME|ssh:HOST[,IFNAME]")
        ->group(ports);
    command
        .add_option("--queue", options.queue,
                    "Zero-copy receive takes this queue and the three behind it")
        ->type_name("N")
        ->check(CLI::Range(1U, 1024U).description(""))
        ->capture_default_str()
        ->group(ports);
    command.add_flag("--yes", options.yes, "Do not ask before the ports are changed")->group(ports);
    command.add_flag("--plan", options.plan, "Show what would be done, and stop")->group(ports);
    const char* run = "THE RUN";
    command
        .add_option("--filter", options.filter,
                    "Run these only, as GoogleTest's filter: 'receive.*:tcp.*-*.slow*'")
        ->type_name("PATTERN")
        ->group(run);
    command
        .add_flag("--disruptive", options.disruptive,
                  "Also what disturbs others on the same card: reset, removal, loss of the link")
        ->group(run);
    command
        .add_flag(
            "--bench", options.bench,
            "Measure instead (bench.receivers, or what --filter names): what a byte costs with "
            "zero-copy receive, with a buffer ring, and with plain recv; a table, bench.json "
            "and bench.svg")
        ->group(run);
    command.add_flag("--fail-fast", options.fail_fast, "End with the first scenario that fails")
        ->group(run);
    command.add_option("--seed", options.seed, "Seed for all that is random")
        ->type_name("N")
        ->capture_default_str()
        ->group(run);
    command.add_option("--timeout", options.timeout, "Seconds after which the run is given up")
        ->type_name("S")
        ->capture_default_str()
        ->group(run);
    command
        .add_option("--out", options.out, "Folder for results; default: zcrxlab-out, as for run")
        ->type_name("DIR")
        ->group(run);
    command.add_flag("-v,--verbose", options.verbose, "Show what the scenario program says")
        ->group(run);
    auto* restore = command.add_subcommand(
        "restore", "put back what runs have left that were killed, or cut off by a power loss");
    restore->add_option("nic", restore_nic, "Of this port only")->type_name("IFNAME");
}

}  // namespace zcrxlab
