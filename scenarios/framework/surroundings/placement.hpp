// Placement: through which queues a stream came, by the device's own log.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Each byte counts once, where the device wrote it first.
struct Placement {
    std::map<uint32_t, uint64_t> split;    // queue -> bytes of payload that were split from headers
    std::map<uint32_t, uint64_t> unsplit;  // queue -> bytes of payload in one buffer with headers

    uint64_t split_on(uint32_t queue) const {
        const auto found = split.find(queue);
        return found != split.end() ? found->second : 0;
    }
    // Bytes that never went split to the queue: those that can only be copied.
    uint64_t never_split_on(uint32_t queue) const;
    // What is to be copied for an ifq on the queue. Bytes that a sender repeated, and that went
    // split to the queue once and elsewhere once, come to the kernel first in either way.
    CopiesExpected copies_for(uint32_t ifq, uint32_t queue) const;

    // Addresses of the packets with payload that were not split, each where its headers lie.
    std::vector<uint64_t> unsplit_at;

    // For each byte the ways it went, in one bit each: way_of(queue, split).
    std::vector<uint64_t> ways;
    static uint64_t way_of(uint32_t queue, bool split_from_headers);
};

// Of the first `bytes` bytes that came to a TCP socket, whose port no other stream of the scenario
// has. Takes the log (Scene::read_dma_log) into the trace, so what was read before is not counted.
Placement placement_of(Scene& scene, int socket, uint64_t bytes);

// Whether none of these addresses is in an area: then the kernel can read what lies there.
bool lies_outside_areas(Scene& scene, const std::vector<uint64_t>& addresses);

// Bytes of payload in each buffer of each packet with payload that came to the socket and was
// split, in order. Takes the log, too.
std::vector<std::vector<uint32_t>> split_packets_of(Scene& scene, int socket);

// The port of a socket's own end, and of the other end.
uint16_t local_port(Scene& scene, int socket);
uint16_t peer_port(Scene& scene, int socket);

}  // namespace zcrxlab
