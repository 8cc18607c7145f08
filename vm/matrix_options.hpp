// The options of the commands matrix, merge and bisect.
#pragma once

#include <CLI/CLI.hpp>

#include "vm/commands.hpp"

namespace zcrxlab {

// They write to `options`, which has to live as long as `command`.
void add_matrix_options(CLI::App& command, MatrixOptions& options);
void add_merge_options(CLI::App& command, MergeOptions& options);
void add_bisect_options(CLI::App& command, BisectOptions& options);

}  // namespace zcrxlab
