// Feature probe: which zcrx features the running kernel has, found by trying.
#pragma once

#include <vector>

#include "scenarios/form/needs.hpp"

namespace zcrxlab {

std::vector<Feature> probe_features();

}  // namespace zcrxlab
