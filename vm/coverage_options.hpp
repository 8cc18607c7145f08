// What coverage takes on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/commands.hpp"

namespace zcrxlab {

// All but the options that every command with a VM has.
void add_coverage_options(CLI::App& command, CoverageOptions& options);

}  // namespace zcrxlab
