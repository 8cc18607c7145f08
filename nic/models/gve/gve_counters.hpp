// Counters of one gve NIC: totals, and per receive and transmit queue.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nic/models/gve/gve_registers.hpp"

namespace zcrxlab::nic::gve {

struct TxCounters {
    uint64_t packets = 0;  // handed to the wire
    uint64_t bytes = 0;
    uint64_t tso_packets = 0;      // of these, to be segmented
    uint64_t checksums = 0;        // of these, whose checksum is left to the device
    uint64_t completions = 0;      // packet completions written
    uint64_t malformed = 0;        // wrong descriptors, sizes or contexts; completed, not sent
    uint64_t too_long = 0;         // longer than a frame may be; completed, not sent
    uint64_t bad_address = 0;      // a buffer that is no guest memory; completed, not sent
    uint64_t no_end = 0;           // a ring full of descriptors without an end of packet
    uint64_t link_down = 0;        // completed, not sent
    uint64_t completion_lost = 0;  // one doorbell asked for more completions than the ring holds
};

struct RxCounters {
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t buffers = 0;          // buffers completed
    uint64_t split = 0;            // packets with headers split off
    uint64_t rsc = 0;              // packets coalesced from several
    uint64_t no_buffer = 0;        // dropped: not enough buffers posted
    uint64_t too_long = 0;         // dropped: longer than the driver can take
    uint64_t header_overflow = 0;  // not split: headers longer than the header buffer
    uint64_t bad_checksum = 0;     // handed over, marked as wrong
    uint64_t bad_address = 0;      // completed with an error: a buffer that is no guest memory
    uint64_t lost_interrupts = 0;  // completed without an interrupt, on purpose
    uint64_t seen_in_part = 0;     // first completed by one buffer alone, which the driver has seen
    uint64_t empty_buffers = 0;    // that end a packet whose bytes lie in those before, on purpose
    uint64_t buffer_errors = 0;    // completed with an error, on purpose
    uint64_t overtaken = 0;        // completed behind the next packet, on purpose
};

struct Counters {
    std::array<TxCounters, kQueueLimit> tx;
    std::array<RxCounters, kQueueLimit> rx;
    uint64_t rx_queue_off = 0;    // for a queue that is not there
    uint64_t rx_not_running = 0;  // before the driver runs, without bus mastering or link
    uint64_t interrupts = 0;
    uint64_t interrupts_held = 0;  // events while the vector was not armed
    uint64_t admin_commands = 0;
    uint64_t admin_refused = 0;
    uint64_t bad_registers = 0;  // register or doorbell writes that mean nothing
    uint64_t bad_rings = 0;      // a ring or an admin queue that is no guest memory
    uint64_t resets = 0;         // by the driver or by PCI
    uint64_t reset_requests = 0;

    // Name and value of each, totals first, then those of the queues below the limits given.
    std::vector<std::pair<std::string, uint64_t>> list(uint16_t tx_queues,
                                                       uint16_t rx_queues) const;
};

}  // namespace zcrxlab::nic::gve
