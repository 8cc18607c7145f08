// The options of zcrxlab repro.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "vm/commands.hpp"

namespace zcrxlab {

// Both commands: "repro" itself and "repro run". `chosen` becomes what is to be done.
void add_repro_options(CLI::App& command, ReproOptions& repro, ReproRunOptions& run,
                       ReproAgainOptions& again, std::function<int()>& chosen);

}  // namespace zcrxlab
