// Packet: a frame on its way to one end of the cable, with what is known about it so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nic/wire/faults.hpp"
#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

struct Packet {
    std::span<std::byte> bytes;  // Ethernet header first, no FCS
    ParsedHeaders headers;       // of `bytes`
    ChecksumState ip_checksum = ChecksumState::kUnknown;
    ChecksumState l4_checksum = ChecksumState::kUnknown;
    uint16_t rsc_mss = 0;  // not 0: several segments in one, as in Delivery
    FaultHit fault;        // rule 0: no fault
};

}  // namespace zcrxlab::nic
