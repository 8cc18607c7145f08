// QueueBuffers: what a device has to receive into, and whether its driver only has to be woken to
// give it more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/framework/facts.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

struct QueueBuffers {
    static constexpr int64_t kLargestPacket = 17;  // pages

    uint32_t queue = 0;
    // Buffers that the device has for the queue; nothing where it does not tell.
    std::optional<int64_t> posted = {};
    // The same after the queue was polled once, as an interrupt would have it; asked only of a
    // queue that starves. If these are more, buffers were there, and the driver had not asked.
    std::optional<int64_t> posted_when_polled = {};

    // Too few for a packet of 64 KiB, which takes 17 pages. That is right for as long as the user
    // holds the others.
    bool starves() const { return posted && *posted < kLargestPacket; }
    // It starved, and does not once the queue is polled: the driver had buffers for it.
    bool withheld() const {
        return starves() && posted_when_polled && *posted_when_polled >= kLargestPacket;
    }
    // "; the device starves with 2 buffers on queue 1, and has 192 once the queue is polled"; empty
    // where the device does not tell.
    std::string text() const;
    void add_to(ComplaintFacts& facts) const;
};

// Buffers that no packet gets away from the driver of the NIC, for as long as a queue is there: one
// that replaces each buffer before it delivers it keeps all that it has posted. That is how drivers
// with a ring for payload of its own do it (bnxt_rx_agg_netmems). Others give away the last one: 0.
uint32_t buffers_kept_by_driver(Scene& scene);

// Bytes of an area, `least` of them or more, of which the user can hold so many bytes of a stream
// at the same time beside what the driver keeps: how many buffers these take follows the MTU, since
// each packet begins a buffer of its own.
size_t area_to_hold(Scene& scene, uint64_t bytes, size_t least);

// Packets that the driver has dropped since its start because it found no buffer to replace one
// with; 0 for a driver that keeps none. What it drops is data that the area has no room for.
uint64_t packets_without_replacement(Scene& scene, uint32_t queue);

// Buffers that the page pool of a queue's instance has given away, to the driver or on to the user;
// nothing where the kernel does not tell.
std::optional<uint64_t> buffers_in_flight(Scene& scene, uint32_t queue);

QueueBuffers buffers_of_queue(Scene& scene, uint32_t queue);
// The same, and polls the queue if it starves: the next packet may be received after that. `socket`
// is connected through the queue, and its receive queue is empty.
QueueBuffers buffers_when_polled(Scene& scene, uint32_t queue, int socket);

}  // namespace zcrxlab
