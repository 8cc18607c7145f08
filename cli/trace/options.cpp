// How the options of "zcrxlab trace" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/trace/trace.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_trace_options(CLI::App& app, TraceOptions& options) {
    const char* what = "WHAT IS SHOWN";
    app.add_option("file", options.file, "The folder of a run (its --out), or a trace.jsonl")
        ->check(any_text())
        ->required()
        ->group("");
    app.footer(" FILE");
    app.add_option("--test", options.test, "Of this test only; may have * and ?")
        ->check(any_text())
        ->type_name("NAME")
        ->group(what);
    app.add_option("--around", options.around,
                   "Only what is next to a failure: the 15 items on either side")
        ->check(one_of({"failure"}))
        ->type_name("failure")
        ->group(what);
    app.add_flag("--full", options.full, "A line for each item, nothing folded")->group(what);
    app.add_option("--html", options.html,
                   "Write a page instead: lanes in time, buffers by owner, failures marked")
        ->check(file_to_write())
        ->type_name("FILE.html")
        ->group(what);
}

}  // namespace zcrxlab
