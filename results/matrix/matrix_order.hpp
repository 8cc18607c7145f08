// MatrixOrder: which runs a matrix or a bisection makes, and with which settings.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "results/matrix/matrix.hpp"
#include "results/matrix/matrix_runner.hpp"
#include "vm/options.hpp"

namespace zcrxlab {

struct MatrixOptions {
    VmOptions vm;  // but kernel, nic, faults and the like: those are the matrix's
    std::string kernels, nics, filter, share;
    unsigned jobs = 1;  // runs side by side
    unsigned vms = 0;   // of each run; 0 = as "run" does
    bool plan = false;  // print the runs, and stop
    // Of each run: features that the kernel should have by its version may be missing.
    bool lenient = false;
    std::string self;  // how this program was called
};

// The NICs on which stock kernels can be compared.
const std::vector<std::string>& matrix_nics();

MatrixTerms terms_for(const MatrixOptions& options);

// How each run of `options` is started. `choices` is what list_kernels() said.
MatrixOrder order_for(const MatrixOptions& options, std::vector<KernelChoice> choices);

// Whether a kernel needs no fetching.
bool is_there(const std::vector<KernelChoice>& choices, const std::string& kernel);

// The scenarios that the filter selects. EINVAL with what to type if there are none.
Result<Catalogue> find_catalogue(const MatrixOptions& options);

}  // namespace zcrxlab
