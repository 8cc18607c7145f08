// How the options of "zcrxlab conform" are written on the command line.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/conform/conform.hpp"
#include "cli/report/report.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "harness/conform/check.hpp"
#include "harness/conform/situation.hpp"

namespace zcrxlab {

void add_conform_options(CLI::App& app, ConformOptions& options) {
    options.program.self = called_as();
    add_vm_options(app, options.program.vm);
    add_page_option(app, options.html);
    std::vector<std::string> names;
    for (const Situation& situation : situations()) names.emplace_back(situation.name);
    const char* what = "THE SITUATIONS";
    app.add_option("--filter", options.situations,
                   "Make this situation only; several times for several")
        ->check(one_of(names))
        ->type_name("SITUATION")
        ->allow_extra_args(false)
        ->group(what);
    app.add_flag("--list", options.list, "List the situations, and stop")->group(what);
    auto* const check =
        app.add_option(
               "--check", options.check,
               "Whether the program's bytes are looked at, too: \"echo\" if it sends back what "
               "it gets, \"sha256\" if it sends back or prints the SHA-256 of each "
               "connection at its end, \"none\" if it does not")
            ->check(one_of(names_of_checks()))
            ->type_name("HOW")
            ->capture_default_str()
            ->group(what);
    app.add_option("--client", options.client,
                   "Command that a shell runs in the other network namespace in place of our peer: "
                   "the program's own client, for a program with a protocol of its own; its exit "
                   "code says whether it got what it should")
        ->check(any_text())
        ->type_name("CMD")
        ->excludes(check)
        ->group(what);
    app.add_option("--client-timeout", options.client_timeout,
                   "Seconds after which a client that still runs is killed, and counts as failed")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(what);
    app.add_flag("--examples", options.program.examples,
                 "List receivers that are right, ready to run and to copy, and stop")
        ->group("THE PROGRAM");
    add_guest_program_options(app, options.program);
    app.add_option("program", options.program.arguments, "The program and its arguments")
        ->check(any_words())
        ->group("");
    app.footer(" -- PROGRAM [ARG...]");
    app.callback([&options] {
        if (options.program.examples || options.list) return;
        if (options.program.arguments.empty()) throw CLI::RequiredError("program");
        // A client knows where it finds the program, which may steer its connections by itself.
        if (options.program.ports.empty() && options.client.empty())
            throw CLI::RequiredError("--port");
    });
}

}  // namespace zcrxlab
