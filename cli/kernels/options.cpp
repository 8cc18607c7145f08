// How the options of "zcrxlab kernels" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/kernels/kernels.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_kernels_options(CLI::App& app, KernelsOptions& options) {
    app.add_flag("--json", options.json, "As JSON")->group("Options");
    app.add_option("--fetch", options.fetch, "Only see to it that this one is in the cache")
        ->check(kernel_to_boot())
        ->type_name("VERSION")
        ->group("Options");
}

}  // namespace zcrxlab
