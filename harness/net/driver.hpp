// Which driver an interface has, and the private flags that the driver offers.
#pragma once

#include <map>
#include <string>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct DriverInformation {
    std::string driver;    // its kernel module, "mlx5_core"
    std::string firmware;  // as the driver words it; empty where it says nothing
    std::string bus;       // "0000:3b:00.0"; empty for what lies on no bus
};

// EOPNOTSUPP for an interface without a driver that answers.
Result<DriverInformation> driver_information(const std::string& interface);

// Name to state, as `ethtool --show-priv-flags` has them. EOPNOTSUPP where the driver has none.
Result<std::map<std::string, bool>> private_flags(const std::string& interface);
// ENOENT if the driver has no flag of this name; EOPNOTSUPP if it took it and did not do it.
Result<void> set_private_flag(const std::string& interface, const std::string& name, bool on);

}  // namespace zcrxlab
