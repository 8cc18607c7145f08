// Which driver an interface has, its private flags, and what it copies.
#pragma once

#include <cstdint>
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

// Up to how many bytes the driver copies a packet, or its headers, out of the NIC's buffer, which
// it then gives back at once (`ethtool --get-tunable DEV rx-copybreak`); 0: it copies none.
// EOPNOTSUPP where the driver has no such setting.
Result<uint32_t> rx_copybreak(const std::string& interface);
// ERANGE or EINVAL for more than the driver takes; EBUSY where it wants the interface to be down
// (bnxt_set_tunable).
Result<void> set_rx_copybreak(const std::string& interface, uint32_t bytes);

}  // namespace zcrxlab
