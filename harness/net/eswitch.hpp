// The embedded switch of a network card: whether it carries the card's packets.
#pragma once

#include <string>

#include "harness/base/result.hpp"
#include "harness/net/netlink_message.hpp"

namespace zcrxlab {

// DEVLINK_ESWITCH_MODE_* (include/uapi/linux/devlink.h).
enum class EswitchMode {
    kLegacy,  // as if there were none
    kOther,   // switchdev, or one that newer kernels have: the port is one of the switch
};

// Asks devlink for the card at `pci` ("0000:3b:00.0"), as root. ENOENT without devlink, ENODEV for
// a card that it does not have, EOPNOTSUPP for a driver without an embedded switch. A devlink
// device belongs to one network namespace, and others have it not.
Result<EswitchMode> eswitch_mode(const std::string& pci);

// The answer to DEVLINK_CMD_ESWITCH_GET; EBADMSG if it does not say.
Result<EswitchMode> decode_eswitch_mode(const NetlinkMessage& message);

}  // namespace zcrxlab
