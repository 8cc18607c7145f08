// FlowContexts: what a NIC holds back for RSC: of each of several flows, one packet that is being
// joined from segments, for a bounded time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>

#include "nic/wire/coalescing.hpp"
#include "nic/wire/packet.hpp"

namespace zcrxlab::nic {

struct FlowLimits {
    size_t contexts = 16;     // flows at once, at least 1
    uint64_t hold = 100'000;  // nanoseconds from a packet's first segment on
};

// Pure: time is an argument, in nanoseconds, and never goes back. A context ends, and its packet is
// delivered, with
// * its segment that is smaller than the first, carries PSH or FIN, or makes it as long as an IP
//   packet can be, or as the limits say;
// * any other packet of its flow, which comes behind it: one out of order, with other header
//   fields, flags or options, without payload, with a wrong checksum or a fault;
// * a fragment between its addresses, of which nobody knows the flow;
// * `hold`, counted from its first segment;
// * the first segment of another flow, if all contexts are taken and it is the oldest.
// So packets of one flow keep their order. Those of different flows may not: one that is held can
// be overtaken, as in a NIC.
class FlowContexts {
  public:
    // Gets what is to be delivered, and of how many segments it is. It may call anything of this
    // class. `packet` is valid during the call.
    using Deliver = std::function<void(const Packet& packet, uint32_t segments)>;

    FlowContexts(FlowLimits limits, Deliver deliver);

    // Takes a packet that has arrived: holds it, or delivers it behind what has to go before it.
    void add(const Packet& packet, uint64_t now, const RscLimits& limits = {});
    // Ends the contexts whose time is over, the oldest first.
    void expire(uint64_t now);
    // Ends all, the oldest first.
    void deliver_all();

    // When expire() has something to do; the largest number if never.
    uint64_t next_deadline() const {
        return held_.empty() ? std::numeric_limits<uint64_t>::max() : held_.front().deadline;
    }
    bool empty() const { return held_.empty(); }
    uint64_t expired() const { return expired_; }
    uint64_t evicted() const { return evicted_; }

  private:
    struct Context {
        Coalescer coalescer;
        ParsedHeaders flow;  // of the first segment
        uint64_t deadline = 0;
    };
    using Contexts = std::list<Context>;

    void deliver(Contexts::iterator context);
    void deliver_between_addresses_of(const ParsedHeaders& headers);
    Contexts::iterator find(const ParsedHeaders& headers);
    Contexts::iterator unused();

    FlowLimits limits_;
    Deliver deliver_;
    Contexts held_;    // by age, so by deadline
    Contexts unused_;  // with their room
    uint64_t expired_ = 0;
    uint64_t evicted_ = 0;
};

}  // namespace zcrxlab::nic
