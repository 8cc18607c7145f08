// What trace takes on the command line.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/commands.hpp"

namespace zcrxlab {

void add_trace_options(CLI::App& command, TraceOptions& options);

}  // namespace zcrxlab
