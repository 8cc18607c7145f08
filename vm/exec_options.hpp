// The command line of "zcrxlab exec", beyond what every VM has.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/commands.hpp"

namespace zcrxlab {

void add_exec_options(CLI::App& command, ExecOptions& options);

}  // namespace zcrxlab
