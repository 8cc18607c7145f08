// Declares the options of commands that run lists of actions.
#include "cli/action_list_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/values.hpp"

namespace zcrxlab {

void add_batch_option(CLI::App& app, unsigned& batch, const char* group) {
    app.add_option("--batch", batch, "Lists for each VM")
        ->check(whole_number(1, kMostLists))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

void add_lenient_option(CLI::App& app, bool& lenient, const char* group) {
    app.add_flag("--lenient", lenient,
                 "Skip a list that needs what the kernel should have by its version, and does not "
                 "have, as \"run\" has it; without this, such a list fails")
        ->group(group);
}

}  // namespace zcrxlab
