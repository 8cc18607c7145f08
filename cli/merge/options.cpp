// How the options of "zcrxlab merge" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/merge/merge.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_merge_options(CLI::App& app, MergeOptions& options) {
    app.add_option("from", options.from, "Folders of results")
        ->check(any_text())
        ->required()
        ->group("");
    app.add_option("--out", options.out, "Folder for the tables (default zcrxlab-matrix)")
        ->check(folder_to_write())
        ->type_name("DIR")
        ->group("Options");
    app.footer(" DIR...");
}

}  // namespace zcrxlab
