// zcrxlab bisect: finds the two stock kernels between which a test changed.
#pragma once

#include <string>

#include "results/matrix/matrix_order.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct BisectOptions {
    // `filter` is what is compared, `nics` the one NIC; kernels, share and plan are not used.
    MatrixOptions runs;
    std::string good, bad;  // stock kernels; either may be the older one
    bool verbose = false;
};

void add_bisect_options(CLI::App& app, BisectOptions& options);
std::string bisect_manual();
// 1 if kernels that cannot be judged are left between the two.
int bisect_command(const BisectOptions& options);

}  // namespace zcrxlab
