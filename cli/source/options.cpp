// How the options of "zcrxlab source" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/source/source.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_source_options(CLI::App& app, SourceOptions& options) {
    app.add_option("what", options.what, "kernel: an archive; headers, liburing, tools: folders")
        ->check(one_of({"kernel", "headers", "liburing", "tools"}))
        ->type_name("kernel|headers|liburing|tools")
        ->required();
    app.add_option("version", options.version,
                   "Of what: for kernel a series (\"7.2\"), for headers a kernel as run --kernel "
                   "takes it; default: the standard one")
        ->check(any_text())
        ->type_name("VERSION");
}

}  // namespace zcrxlab
