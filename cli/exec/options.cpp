// How the options of "zcrxlab exec" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/exec/exec.hpp"
#include "cli/report/report.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"

namespace zcrxlab {

void add_exec_options(CLI::App& app, ExecOptions& options) {
    options.self = called_as();
    add_vm_options(app, options.vm);
    add_icount_option(app, options.vm);
    add_page_option(app, options.html);
    const char* program = "THE PROGRAM";
    app.add_flag("--examples", options.examples,
                 "List receivers that are ready to run and to copy, and stop")
        ->group(program);
    add_guest_program_options(app, options);
    const char* nic = "THE NIC AND ITS PEER";
    app.add_flag("--bare", options.bare,
                 "Leave the NIC as the driver made it, for a program that configures it by itself")
        ->group(nic);
    app.add_flag("--selftests", options.selftests,
                 "Make the NIC as the kernel's driver selftests expect it: flow rules on, header "
                 "split off, MTU 1500, IPv6 addresses kept when a link goes down")
        ->group(nic);
    app.add_option("--peer", options.peer,
                   "Command that a shell runs in the other network namespace once the program "
                   "listens (on --port, or on any)")
        ->check(any_text())
        ->type_name("CMD")
        ->group(nic);
    app.add_flag("--peer-first", options.peer_first,
                 "The peer is what listens: the program is started once it does")
        ->group(nic);
    app.add_option("--send", options.send,
                   "Let our own sender be the peer: connections=N, requests=N, size=SIZE, "
                   "write=SIZE, rate=SIZE (a second), think=TIME, for=TIME, "
                   "pattern=zcrxlab|zeros|text|http, path=/PATH, family=4|6, port=P, seed=N, "
                   "end=fin|reset, with commas between them")
        ->check(any_text())
        ->type_name("SPEC")
        ->group(nic);
    app.add_option("--linger", options.linger,
                   "Seconds that the program has to end by itself when its peer is done; then it "
                   "gets SIGTERM")
        ->check(whole_number(0, kLongest))
        ->type_name("S")
        ->capture_default_str()
        ->group(nic);
    auto* const no_probes = app.add_flag(
        "--no-probes", options.no_probes,
        "Count nothing: the guest's kernel runs without probes, for measurements of time");
    no_probes->group(nic);
    app.add_option("--expect", options.expected,
                   "End with exit code 3 unless zero-copy receive did so: zero-copy=99%, bytes=N "
                   "(at least); copied=N, starved=N, cq-full=N, errors=N, lost=N, left-behind=N "
                   "(at most)")
        ->check(any_text())
        ->type_name("WHAT")
        ->allow_extra_args(false)
        ->excludes(no_probes)
        ->group(nic);
    app.add_option("program", options.arguments, "The program and its arguments")
        ->check(any_words())
        ->group("");
    app.footer(" -- PROGRAM [ARG...]");
    app.callback([&options] {
        if (options.arguments.empty() && !options.examples) throw CLI::RequiredError("program");
    });
}

}  // namespace zcrxlab
