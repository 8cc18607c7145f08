// Feature probe: which zcrx features the running kernel has, found by trying.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "scenarios/framework/needs.hpp"

namespace zcrxlab {

std::vector<Feature> probe_features();

// Why zcrx cannot have a queue of this interface, whose header split is on: the error of a
// registration that the driver cannot serve (EOPNOTSUPP, ENODATA). Nothing if it can, and where it
// failed for another reason, which is for the scenarios to tell. The queue is free afterwards.
std::optional<Error> why_no_zero_copy(const std::string& interface, uint32_t queue);

}  // namespace zcrxlab
