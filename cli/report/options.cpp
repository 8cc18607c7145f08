// How the options of "zcrxlab report" are written on the command line, and --html of others.
#include <CLI/CLI.hpp>

#include "cli/report/report.hpp"
#include "cli/values.hpp"

namespace zcrxlab {

void add_page_option(CLI::App& app, std::string& html) {
    app.add_option("--html", html,
                   "Write the results as a page, too: verdicts, and of each failure its sentence, "
                   "trace and command")
        ->check(file_to_write())
        ->type_name("FILE.html")
        ->group("RESULTS");
}

void add_report_options(CLI::App& app, ReportOptions& options) {
    app.add_option("folder", options.folder, "The folder of a run (its --out)")
        ->check(any_text())
        ->required()
        ->group("");
    app.footer(" DIR");
    app.add_option("--html", options.html, "Where the page goes (default: DIR/report.html)")
        ->check(file_to_write())
        ->type_name("FILE.html");
}

}  // namespace zcrxlab
