// How the options of "zcrxlab shrink" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/action_list_options.hpp"
#include "cli/shrink/shrink.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_shrink_options(CLI::App& app, ShrinkOptions& options) {
    options.self = called_as();
    options.vm.nic.clear();  // that of the failure
    add_vm_options(app, options.vm);
    add_silence_option(app, options.vm);
    const char* group = "THE LIST";
    app.add_option("what", options.what, "A list of actions, or the folder of a failure")
        ->check(path_that_is_there())
        ->required()
        ->group("");
    app.add_option("--good", options.good,
                   "A kernel without the bug; a smaller list that fails there, too, in the same "
                   "way, asks for what was never promised, and is not taken")
        ->check(kernel_to_boot())
        ->type_name("VERSION|FILE|DIR")
        ->group(group);
    app.add_option("--repeats", options.repeats,
                   "Runs from which it is told how often the list fails")
        ->check(whole_number(1, kMostLists))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    add_batch_option(app, options.batch, group);
    add_lenient_option(app, options.lenient, group);
    app.add_option("--time", options.seconds,
                   "Seconds after which nothing smaller is tried any more")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    app.add_option("--candidates", options.candidates, "Smaller lists tried in one step")
        ->check(whole_number(1, kMostLists))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    app.footer(" FAILURE|LIST");
}

}  // namespace zcrxlab
