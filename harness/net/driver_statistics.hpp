// The statistics that a driver shows to `ethtool -S`.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Name to value, now; the names are the driver's own. EOPNOTSUPP if it has none.
Result<std::map<std::string, uint64_t>> driver_statistics(const std::string& interface);

}  // namespace zcrxlab
