// Datagrams between the two ends of a NIC, as the kernel sends them without zero-copy receive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

struct Exchange {
    uint8_t family = 4;
    size_t bytes = 1;      // of each send
    uint32_t count = 1;    // sends in each direction
    uint16_t segment = 0;  // not 0: the NIC is to cut each send into datagrams of this size
    uint8_t options = 0;   // bytes of IPv4 options or of an IPv6 header with options, 8 at a time
    // Out: addresses and ports of what the peer sends, as RSS hashes them.
    std::vector<std::byte> rss_input = {};
};

// Sends UDP from the peer and then back, and compares each byte; what went wrong, or nothing. Ends
// the scenario where it cannot even begin.
std::string exchange(Scene& scene, Exchange& plan);
inline std::string exchange(Scene& scene, Exchange&& plan) {
    return exchange(scene, plan);
}
// The same to the peer alone.
std::string send_to_peer(Scene& scene, const Exchange& plan);

// The same with one Ethernet frame of `bytes` behind a VLAN tag.
std::string exchange_tagged(Scene& scene, size_t bytes);

}  // namespace zcrxlab
