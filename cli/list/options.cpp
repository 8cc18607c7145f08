// How the options of "zcrxlab list" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/list/list.hpp"
#include "cli/vm_values.hpp"

namespace zcrxlab {

void add_list_options(CLI::App& app, ListOptions& options) {
    app.add_option("--filter", options.filter, "These only")
        ->check(filter_of_scenarios())
        ->type_name("PATTERN")
        ->group("Options");
    app.add_flag("--json", options.json, "As JSON")->group("Options");
}

}  // namespace zcrxlab
