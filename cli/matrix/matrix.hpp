// zcrxlab matrix: runs the suite on many kernels, and makes one table of all of them.
#pragma once

#include <string>

#include "results/matrix/matrix_order.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// MatrixOptions are in results/matrix: a bisection is ordered in the same way.

void add_matrix_options(CLI::App& app, MatrixOptions& options);
std::string matrix_manual();
// The worst of what its runs ended with.
int matrix_command(const MatrixOptions& options);

}  // namespace zcrxlab
