// How the options of "zcrxlab matrix" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/matrix/matrix.hpp"
#include "cli/stock_run_options.hpp"
#include "cli/usage.hpp"
#include "cli/values.hpp"
#include "cli/vm_values.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

bool is_another_if_asked(const NicRow& row) {
    return row.matrix == MatrixUse::kIfAsked && !row.patched;
}
bool is_patched_if_asked(const NicRow& row) {
    return row.matrix == MatrixUse::kIfAsked && row.patched;
}

}  // namespace

void add_matrix_options(CLI::App& app, MatrixOptions& options) {
    options.self = called_as();
    const char* what = "WHAT IS RUN";
    app.add_option("--kernels", options.kernels,
                   "By commas: all; newest, of each series; 7.2, the newest of it; 7.2.*, all of "
                   "it; 7.2.6..7.3.4; a full name, also of another flavour; a bzImage or folder, "
                   "with a slash. Stock kernels from 6.16 on (default newest)")
        ->check(any_text())
        ->type_name("LIST|all")
        ->group(what);
    app.add_option("--nic", options.nics,
                   "By commas: " + nic_labels(is_usual_in_matrix, ", ") +
                       " (default all of these), " + nic_labels(is_another_if_asked, ", ") +
                       " on kernels of the flavour that has its driver, and " +
                       nic_labels(is_patched_if_asked, ", ") +
                       " for kernels that kernel-config/netdevsim/build has built it for")
        ->check(nics_that_fit(is_in_matrix))
        ->type_name(nic_labels(is_in_matrix, "|"))
        ->group(what);
    app.add_option("--filter", options.filter, "These scenarios only, as \"run\" takes it")
        ->check(filter_of_scenarios())
        ->type_name("PATTERN")
        ->group(what);
    add_seed_option(app, options, what);
    app.add_option("--shard", options.share,
                   "This machine's share: the runs are dealt to N machines, and this is the I-th, "
                   "from 1 on")
        ->check(any_text())
        ->type_name("I/N")
        ->group(what);
    app.add_flag("--plan", options.plan,
                 "Print the kernels, as --kernels takes them, and on standard error the runs and "
                 "what has to be fetched; and stop")
        ->group(what);
    add_stock_run_options(app, options, "zcrxlab-matrix");
}

}  // namespace zcrxlab
