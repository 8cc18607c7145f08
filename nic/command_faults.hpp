// CommandFaults: commands of a driver that a device is to refuse, or never to answer, because
// somebody asked it to.
//
// A fault of packets is the wire's (nic/wire/faults.hpp); this one is the model's, since only it
// knows what its driver commands. What is told apart is what every NIC has, in its own words.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace zcrxlab::nic {

enum class CommandKind : uint8_t {
    kOther,
    kOpenReceiveQueue,   // gve: CREATE_RX_QUEUE; bnxt: RING_ALLOC of a receive or aggregation ring
    kCloseReceiveQueue,  // gve: DESTROY_RX_QUEUE; bnxt: RING_FREE of such a ring
    kRss,                // gve: CONFIGURE_RSS; bnxt: VNIC_RSS_CFG
    kFlowRule,           // gve: CONFIGURE_FLOW_RULE; bnxt: CFA_NTUPLE_FILTER_ALLOC and _FREE
};

struct CommandKindText {
    CommandKind kind;
    std::string_view name;  // on the control channel
};
// All but kOther, in the order of the enum.
std::span<const CommandKindText> command_kinds();

enum class CommandAnswer : uint8_t {
    kRight,  // carried out
    kError,  // not carried out, and answered with an error of the device
    kNone,   // not carried out, and not answered; gve's queue of commands begins with it again when
             // the driver rings next
};

struct CommandFault {
    std::optional<CommandKind> command = {};  // empty: any, those without a name here, too
    CommandAnswer answer = CommandAnswer::kError;
    uint64_t skip = 0;                                      // so many that match are carried out
    uint64_t count = std::numeric_limits<uint64_t>::max();  // and then so many are not
};

class CommandFaults {
  public:
    // In place of the one that was there.
    void set(const CommandFault& fault) { fault_ = fault; }
    // The device does again what it is asked for.
    void clear() { fault_.reset(); }
    // What becomes of a command that the driver has sent now.
    CommandAnswer meet(CommandKind command);
    // Commands that met a fault, since power-on.
    uint64_t hits() const { return hits_; }

  private:
    std::optional<CommandFault> fault_;
    uint64_t hits_ = 0;
};

}  // namespace zcrxlab::nic
