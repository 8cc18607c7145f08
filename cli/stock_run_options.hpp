// Options that "matrix" and "bisect" share because they run scenarios on many stock kernels.
#pragma once

#include "results/matrix/matrix_order.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// How the runs go: --jobs to --kernel-args. `folder` is where results go if --out is not given.
void add_stock_run_options(CLI::App& app, MatrixOptions& options, const char* folder);

// --seed, in the group of options `group`.
void add_seed_option(CLI::App& app, MatrixOptions& options, const char* group);

}  // namespace zcrxlab
