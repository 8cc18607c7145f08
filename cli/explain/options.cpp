// How the options of "zcrxlab explain" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/explain/explain.hpp"

namespace zcrxlab {

void add_explain_options(CLI::App& app, ExplainOptions& options) {
    app.add_option("errno", options.code, "EEXIST, 17 or -17")->required()->group("");
    app.add_option("operation", options.operation,
                   "register, import, submit, receive, control or ethtool; default: all")
        ->group("");
    app.add_option("--interface", options.interface, "Look at this interface of this machine, too")
        ->type_name("IF")
        ->group("Options");
    app.add_option("--queue", options.queue, "... and at this receive queue of it")
        ->type_name("N")
        ->capture_default_str()
        ->group("Options");
    app.footer(" ERRNO [register|import|submit|receive|control|ethtool]");
}

}  // namespace zcrxlab
