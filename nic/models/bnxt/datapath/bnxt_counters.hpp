// Counters of one bnxt NIC: totals, per receive and transmit ring, and how often each command was
// asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nic/models/bnxt/layout/bnxt_registers.hpp"

namespace zcrxlab::nic::bnxt {

struct TxCounters {
    uint64_t packets = 0;  // handed to the wire
    uint64_t bytes = 0;
    uint64_t tso_packets = 0;  // of these, to be segmented
    uint64_t checksums = 0;    // of these, whose checksum is left to the device
    uint64_t completions = 0;
    uint64_t malformed = 0;    // wrong descriptors; completed, not sent
    uint64_t bad_address = 0;  // a buffer that is no guest memory; completed, not sent
    uint64_t link_down = 0;    // completed, not sent
};

struct RxCounters {
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t split = 0;            // packets with headers split off
    uint64_t header_overflow = 0;  // packets whose headers no receive buffer holds: not split
    uint64_t tags = 0;             // of VLANs, taken off
    uint64_t rsc = 0;              // packets of several segments (TPA)
    uint64_t unfinished = 0;       // those whose end comes with the next packet, on purpose
    uint64_t aggregation = 0;      // buffers of aggregation rings that were filled
    uint64_t no_buffer = 0;        // dropped: not enough buffers posted, in either ring
    uint64_t too_long = 0;         // dropped: longer than buffers of both rings may hold
    uint64_t bad_checksum = 0;     // handed over, marked as wrong
    uint64_t bad_address = 0;      // completed with an error: a buffer that is no guest memory
    uint64_t lost_interrupts = 0;  // completed without a notification, on purpose
    uint64_t buffer_errors = 0;    // completed with an error, on purpose
    uint64_t overtaken = 0;        // packets that were completed behind the next one, on purpose
};

// Classes of sizes in bytes, each up to this one, with the four of the frame's check sequence.
inline constexpr std::array<size_t, 10> kFrameSizes = {64,   127,  255,  511,  1023,
                                                       1518, 2047, 4095, 9216, 16383};

// Frames of one direction as they pass the port, by their sizes.
struct PortFrames {
    std::array<uint64_t, kFrameSizes.size()> by_size{};  // as kFrameSizes; none that is longer
    uint64_t control = 0;                                // of MAC control, as pause frames are

    // `frame` is without its check sequence.
    void count(std::span<const std::byte> frame);
    // What a frame becomes that is cut: pieces with its `headers` first bytes, and `mss` bytes of
    // the others, but for the last.
    void count_cut(std::span<const std::byte> frame, size_t headers, size_t mss);

  private:
    void count(size_t size, uint64_t frames);
};

struct Counters {
    std::array<TxCounters, kQueueLimit> tx;
    std::array<RxCounters, kQueueLimit> rx;
    uint64_t rx_queue_off = 0;    // for a ring that is not there, or belongs to no VNIC
    uint64_t rx_no_vnic = 0;      // of a rule that drops, or whose VNIC is gone
    uint64_t rx_above_mru = 0;    // longer than the VNIC's MRU, which is 0 while a queue restarts
    uint64_t rx_not_running = 0;  // without bus mastering or link
    uint64_t interrupts = 0;
    uint64_t notifications = 0;     // entries of notification queues
    uint64_t commands = 0;          // HWRM requests that were read
    uint64_t commands_refused = 0;  // of these, answered with an error
    uint64_t commands_unread = 0;   // requests that are no memory, or too short to be answered
    uint64_t bad_registers = 0;     // register or doorbell writes that mean nothing
    uint64_t bad_rings = 0;         // rings that are no guest memory
    uint64_t resets = 0;            // by the driver or by PCI
    uint64_t events = 0;            // told to the driver without being asked
    PortFrames port_rx, port_tx;    // for the driver only

    // Name and value of each, totals first.
    std::vector<std::pair<std::string, uint64_t>> list() const;
};

}  // namespace zcrxlab::nic::bnxt
