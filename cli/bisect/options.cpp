// How the options of "zcrxlab bisect" are written on the command line.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "cli/bisect/bisect.hpp"
#include "cli/stock_run_options.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

namespace {

std::vector<std::string> usual_nics() {
    std::vector<std::string> names;
    for (const NicRow& row : nic_rows())
        if (is_usual_in_matrix(row)) names.emplace_back(row.name);
    return names;
}

}  // namespace

void add_bisect_options(CLI::App& app, BisectOptions& options) {
    const char* what = "WHAT IS COMPARED";
    app.add_option("--good", options.good, "A stock kernel on which TEST passes")
        ->type_name("VERSION")
        ->required()
        ->group(what);
    app.add_option("--bad", options.bad, "One on which it fails; older or newer")
        ->type_name("VERSION")
        ->required()
        ->group(what);
    options.runs.self = ::program_invocation_name;
    options.runs.nics = default_nic().name;
    app.add_option("--nic", options.runs.nics, "As \"run\" has it")
        ->type_name(nic_labels(is_usual_in_matrix, "|"))
        ->check(CLI::IsMember(usual_nics()).description(""))
        ->capture_default_str()
        ->group(what);
    add_seed_option(app, options.runs, what);
    add_stock_run_options(app, options.runs, "zcrxlab-bisect/TEST");
    app.add_flag("-v,--verbose", options.verbose,
                 "Show all that the tests say, also where they pass, and where the logs are")
        ->group("HOW");
    app.add_option("test", options.runs.filter, "As \"run --filter\" takes it")->group("");
    app.footer(" --good VERSION --bad VERSION TEST");
}

}  // namespace zcrxlab
