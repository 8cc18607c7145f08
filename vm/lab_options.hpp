// What lab takes on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/lab_command.hpp"

namespace zcrxlab {

// With its subcommand "restore", whose interface goes to `restore_nic`.
void add_lab_options(CLI::App& command, LabOptions& options, std::string& restore_nic);

}  // namespace zcrxlab
