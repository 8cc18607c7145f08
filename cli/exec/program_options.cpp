// Options of each command that runs a program of this machine in a guest.
#include <CLI/CLI.hpp>

#include "cli/exec/exec.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_guest_program_options(CLI::App& app, ExecOptions& options) {
    const char* program = "THE PROGRAM";
    app.add_option("--rw", options.writable,
                   "Folder of this machine that the program may really change; everything else it "
                   "changes is gone with the guest")
        ->check(path_that_is_there())
        ->type_name("DIR")
        ->allow_extra_args(false)
        ->group(program);
    app.add_option("--file", options.files,
                   "Put a file of this machine at another place in the guest")
        ->check(any_text())
        ->type_name("HOST[:GUEST]")
        ->allow_extra_args(false)
        ->group(program);
    app.add_option("--module", options.modules,
                   "Load a module of the guest's kernel, and those that it needs")
        ->check(any_text())
        ->type_name("NAME")
        ->allow_extra_args(false)
        ->group(program);
    app.add_option("--env", options.environment, "Set a variable of its environment")
        ->check(any_text())
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(program);
    app.add_flag("--clean-env", options.clean_environment,
                 "Of this environment, give it only PATH, HOME, USER, LOGNAME, SHELL, TERM, TZ, "
                 "LANG and LC_*, and what --env sets")
        ->group(program);
    app.add_option("--hide", options.hide,
                   "Folder or file of this machine that the guest finds empty, beside those where "
                   "keys and tokens usually lie")
        ->check(any_text())
        ->type_name("PLACE")
        ->allow_extra_args(false)
        ->group(program);
    app.add_option("--show", options.show,
                   "Hidden place that the guest can read all the same; / is all of them")
        ->check(any_text())
        ->type_name("PLACE")
        ->allow_extra_args(false)
        ->group(program);
    app.add_flag("--packed", options.packed,
                 "Give the guest nothing of this machine but the program, its libraries, and what "
                 "--file names (with their libraries); for kernels without virtiofs or overlayfs")
        ->group(program);
    const char* nic = "THE NIC AND ITS PEER";
    app.add_option("--port", options.ports,
                   "TCP port of the program: its connections go to the queues for zero copy")
        ->check(whole_number(1, 65535))
        ->type_name("P")
        ->allow_extra_args(false)
        ->group(nic);
    app.add_option("--queues", options.queues,
                   "Receive queues for zero copy; RSS sends nothing there")
        ->check(whole_number(1, 15))
        ->type_name("N")
        ->capture_default_str()
        ->group(nic);
}

}  // namespace zcrxlab
