// How the options of "zcrxlab bench" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/bench/bench.hpp"
#include "cli/vm_options.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_bench_options(CLI::App& app, BenchOptions& options) {
    add_vm_options(app, options.vm);
    app.add_option("--filter", options.filter, "These measurements only")
        ->check(filter_of_scenarios())
        ->type_name("PATTERN")
        ->group("THE RUN");
}

}  // namespace zcrxlab
