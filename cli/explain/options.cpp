// How the options of "zcrxlab explain" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/explain/explain.hpp"
#include "cli/values.hpp"
#include "harness/base/errno_from.hpp"

namespace zcrxlab {

namespace {

std::string errno_refusal(const std::string& value) {
    if (errno_from(value)) return {};
    return "\"" + value + "\" is no errno; like this: EEXIST, 17, -17.";
}

}  // namespace

void add_explain_options(CLI::App& app, ExplainOptions& options) {
    app.add_option("errno", options.code, "EEXIST, 17 or -17")
        ->check(errno_refusal)
        ->required()
        ->group("");
    app.add_option("operation", options.operation,
                   "register, import, submit, receive, control or ethtool; default: all")
        ->check(one_of({"register", "import", "submit", "receive", "control", "ethtool"}))
        ->group("");
    app.add_option("--interface", options.interface, "Look at this interface of this machine, too")
        ->check(interface_of_this_machine())
        ->type_name("IF")
        ->group("Options");
    app.add_option("--queue", options.queue, "... and at this receive queue of it")
        ->check(whole_number(0, 65535))
        ->type_name("N")
        ->capture_default_str()
        ->group("Options");
    app.footer(" ERRNO [register|import|submit|receive|control|ethtool]");
}

}  // namespace zcrxlab
