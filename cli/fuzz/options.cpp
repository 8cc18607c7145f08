// How the options of "zcrxlab fuzz" are written on the command line.
#include <CLI/CLI.hpp>
#include <cerrno>

#include "cli/action_list_options.hpp"
#include "cli/fuzz/fuzz.hpp"
#include "cli/vm_options.hpp"

namespace zcrxlab {

void add_fuzz_options(CLI::App& app, FuzzOptions& options) {
    options.self = ::program_invocation_name;
    add_vm_options(app, options.vm);
    add_silence_option(app, options.vm);
    const char* group = "THE LISTS";
    app.add_option("--time", options.seconds, "Seconds after which it ends")
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    app.add_option("--lists", options.lists, "End after so many lists; default: no end")
        ->type_name("N")
        ->check(CLI::PositiveNumber.description(""))
        ->group(group);
    app.add_option("--jobs", options.jobs, "VMs side by side")
        ->type_name("N")
        ->check(CLI::Range(1U, kMostVms).description(""))
        ->capture_default_str()
        ->group(group);
    add_batch_option(app, options.batch, group);
    add_lenient_option(app, options.lenient, group);
    app.add_option("--corpus", options.corpus,
                   "Take the lists of this folder up again, and keep those there that reach new "
                   "code of a kernel built for coverage")
        ->type_name("DIR")
        ->group(group);
    app.add_flag("--print", options.print, "Print the lists (--lists of them), and run nothing")
        ->group(group);
    app.parse_complete_callback([&options] {
        if (options.print && options.lists == UINT64_MAX) options.lists = 10;
    });
}

}  // namespace zcrxlab
