// The command line: an app of CLI11 made from the table of commands, parsed and run.
#pragma once

#include <span>

#include "cli/command.hpp"

namespace zcrxlab {

// Runs the command of `table` that the arguments of main() name. Returns its exit code; 0 after
// --help, --version and --page; kExitUsage if the arguments are wrong; 1 if an exception left the
// command. That is caught here, so that all that the command held is released, and a NIC that it
// took is put back, before the program ends.
int run_command_line(std::span<const Command> table, int argc, const char* const* argv);

}  // namespace zcrxlab
