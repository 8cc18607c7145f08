// What a matrix and a bisection order alike: on which terms runs are made, and how.
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/commands.hpp"
#include "vm/kernel/kernel.hpp"
#include "vm/matrix/matrix.hpp"
#include "vm/matrix_runner.hpp"

namespace zcrxlab {

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
