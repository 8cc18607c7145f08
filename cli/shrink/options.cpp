// How the options of "zcrxlab shrink" are written on the command line.
#include <CLI/CLI.hpp>
#include <cerrno>

#include "cli/action_list_options.hpp"
#include "cli/shrink/shrink.hpp"
#include "cli/vm_options.hpp"

namespace zcrxlab {

void add_shrink_options(CLI::App& app, ShrinkOptions& options) {
    options.self = ::program_invocation_name;
    options.vm.nic.clear();  // that of the failure
    add_vm_options(app, options.vm);
    add_silence_option(app, options.vm);
    const char* group = "THE LIST";
    app.add_option("what", options.what, "A list of actions, or the folder of a failure")
        ->required()
        ->group("");
    app.add_option("--good", options.good,
                   "A kernel without the bug; a smaller list that fails there, too, in the same "
                   "way, asks for what was never promised, and is not taken")
        ->type_name("VERSION|FILE|DIR")
        ->group(group);
    app.add_option("--repeats", options.repeats,
                   "Runs from which it is told how often the list fails")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostLists).description(""))
        ->capture_default_str()
        ->group(group);
    add_batch_option(app, options.batch, group);
    add_lenient_option(app, options.lenient, group);
    app.add_option("--time", options.seconds,
                   "Seconds after which nothing smaller is tried any more")
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    app.add_option("--candidates", options.candidates, "Smaller lists tried in one step")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostLists).description(""))
        ->capture_default_str()
        ->group(group);
    app.footer(" FAILURE|LIST");
}

}  // namespace zcrxlab
