// How the options of "zcrxlab fuzz" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/action_list_options.hpp"
#include "cli/fuzz/fuzz.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_options.hpp"

namespace zcrxlab {

void add_fuzz_options(CLI::App& app, FuzzOptions& options) {
    options.self = called_as();
    add_vm_options(app, options.vm);
    add_silence_option(app, options.vm);
    const char* group = "THE LISTS";
    app.add_option("--time", options.seconds, "Seconds after which it ends")
        ->check(seconds_to_wait())
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    app.add_option("--lists", options.lists, "End after so many lists; default: no end")
        ->check(whole_number(1, UINT64_MAX))
        ->type_name("N")
        ->group(group);
    app.add_option("--jobs", options.jobs, "VMs side by side")
        ->check(whole_number(1, kMostVms))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    add_batch_option(app, options.batch, group);
    add_lenient_option(app, options.lenient, group);
    app.add_option("--corpus", options.corpus,
                   "Take the lists of this folder up again, and keep those there that reach new "
                   "code of a kernel built for coverage")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group(group);
    app.add_flag("--print", options.print, "Print the lists (--lists of them), and run nothing")
        ->group(group);
    app.parse_complete_callback([&options] {
        if (options.print && options.lists == UINT64_MAX) options.lists = 10;
    });
}

}  // namespace zcrxlab
