// How the options of "zcrxlab shell" are written on the command line.
#include <CLI/CLI.hpp>

#include "cli/shell/shell.hpp"
#include "cli/vm_options.hpp"

namespace zcrxlab {

void add_shell_options(CLI::App& app, ShellOptions& options) {
    add_vm_options(app, options.vm);
}

}  // namespace zcrxlab
