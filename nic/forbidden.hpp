// Forbidden: what a driver asked of its device that no driver may ask. The device does nothing of
// it, or what it must to go on, and tells whoever judges the driver.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace zcrxlab::nic {

enum class ForbiddenKind : uint8_t {
    kDma,         // memory that is not mapped, or not for this direction
    kRegister,    // a write where no register is, or not as the register takes it
    kDoorbell,    // of what is not there, or with a number that cannot be
    kDescriptor,  // one that contradicts the NIC's rules, its packet or another one
    kCompletion,  // more completions are due than their ring holds
    kCommand,     // an admin command that a driver knows to be wrong before it asks
};

struct Forbidden {
    ForbiddenKind kind = ForbiddenKind::kDma;
    std::string queue = {};                   // "transmit queue 3"; empty: of none
    std::optional<uint32_t> descriptor = {};  // index in the queue's ring
    std::optional<uint64_t> address = {};     // guest bus address
    std::string what = {};                    // what is wrong; a phrase without a full stop
};

// Told of each, within the call that asked for it. May be empty.
using TellForbidden = std::function<void(Forbidden)>;

}  // namespace zcrxlab::nic
