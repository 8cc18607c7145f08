// Coalescing: joins in-order TCP segments of one flow into one large packet, as a NIC does for RSC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nic/wire/packet.hpp"

namespace zcrxlab::nic {

// Holds at most one packet under construction. A caller offers each packet; what add() refuses is
// delivered after what take() gives.
class Coalescer {
  public:
    enum class Offer : uint8_t {
        kHeld,      // it is part of the packet under construction, which may go on
        kComplete,  // it was the last part: take() the packet now
        kRefused,   // it does not belong here: take() first, then offer again or deliver it alone
    };

    // Only packets with good checksums and no fault are held. A packet under construction ends with
    // a segment that is smaller than the first or carries PSH or FIN, at 65535 bytes of IP packet,
    // and at the limits. IPv4 identifications have to count up by one, or all be the same, as the
    // kernel's GRO has it (net/ipv4/af_inet.c, inet_gro_receive()).
    Offer add(const Packet& packet, const RscLimits& limits = {});
    bool empty() const { return segments_ == 0; }
    // Segments in the packet under construction.
    uint32_t segments() const { return segments_; }

    // Gives the packet away; its bytes are valid until the next add(). rsc_mss is 0 if it is one
    // segment, which is then unchanged; otherwise the TCP checksum field holds the sum of the
    // pseudo header.
    Packet take();
    void drop() { segments_ = 0; }

  private:
    bool continues(const Packet& packet) const;

    std::vector<std::byte> bytes_;
    Packet packet_;  // its `bytes` are not used
    uint32_t segments_ = 0;
    uint32_t mss_ = 0;
    uint16_t identification_ = 0;  // IPv4: of the last segment
    uint16_t step_ = 0;            // from each one to the next, once there are two
};

// True for a packet that could be joined to others: plain TCP with payload, no IPv4 options or
// fragments, no flags but ACK, PSH, FIN and ECE. Not CWR: a packet that is cut again has it on its
// first segment only.
bool can_coalesce(const ParsedHeaders& headers);

// True for a packet that others could be joined to: one that can_coalesce(), with right checksums,
// nothing behind it in its frame, and no less payload than the limits say.
bool can_begin(const Packet& packet, const RscLimits& limits);

}  // namespace zcrxlab::nic
