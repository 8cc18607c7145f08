// How the options of "zcrxlab bisect" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/bisect/bisect.hpp"
#include "cli/stock_run_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_values.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

// With the driver as stock kernels have it, so that nothing has to be built for each of them.
bool is_stock_in_matrix(const NicRow& row) {
    return is_in_matrix(row) && !row.patched;
}

}  // namespace

void add_bisect_options(CLI::App& app, BisectOptions& options) {
    const char* what = "WHAT IS COMPARED";
    app.add_option("--good", options.good, "A stock kernel on which TEST passes")
        ->check(any_text())
        ->type_name("VERSION")
        ->required()
        ->group(what);
    app.add_option("--bad", options.bad, "One on which it fails; older or newer")
        ->check(any_text())
        ->type_name("VERSION")
        ->required()
        ->group(what);
    options.runs.self = called_as();
    options.runs.nics = default_nic().name;
    app.add_option("--nic", options.runs.nics,
                   "As \"run\" has it; the kernels are those of the flavour that has its driver")
        ->check(nic_that_fits(is_stock_in_matrix))
        ->type_name(nic_labels(is_stock_in_matrix, "|"))
        ->capture_default_str()
        ->group(what);
    add_seed_option(app, options.runs, what);
    add_stock_run_options(app, options.runs, "zcrxlab-bisect/TEST");
    app.add_flag("-v,--verbose", options.verbose,
                 "Show all that the tests say, also where they pass, and where the logs are")
        ->group("HOW");
    app.add_option("test", options.runs.filter, "As \"run --filter\" takes it")
        ->check(filter_of_scenarios())
        ->group("");
    app.footer(" --good VERSION --bad VERSION TEST");
}

}  // namespace zcrxlab
