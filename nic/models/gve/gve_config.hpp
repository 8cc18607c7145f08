// GveConfig: what one emulated gve NIC is made with.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "nic/forbidden.hpp"
#include "nic/mutation.hpp"

namespace zcrxlab::nic {

struct GveConfig {
    std::array<uint8_t, 6> mac = {0x02, 0, 0, 0, 0, 1};
    uint64_t link_speed = 25000;         // Mbit/s
    uint16_t max_tx_queues = 16;         // 1..16
    uint16_t max_rx_queues = 16;         // 1..16
    uint16_t default_queues = 4;         // pairs that the driver starts with
    uint16_t default_ring = 1024;        // entries, a power of two
    uint16_t min_ring = 64;              // entries, a power of two
    uint16_t max_ring = 4096;            // entries, a power of two
    uint16_t max_mtu = 9000;             // bytes behind the Ethernet header
    uint16_t packet_buffer_size = 4096;  // largest receive buffer, 2048 or 4096 bytes
    uint16_t header_buffer_size = 128;   // bytes for the headers of a split packet; 0: no split
    uint32_t max_flow_rules = 64;        // locations 0 .. max_flow_rules - 1
    // One of rings and buffers; the others are made above it (MutatedDevice).
    Mutation mutation = Mutation::kNone;
    // Told of every refused command, and of what the device does about a driver that cannot go on,
    // as one sentence without a line end. Never called for each packet.
    std::function<void(std::string_view)> log = nullptr;
    TellForbidden forbidden = nullptr;
};

}  // namespace zcrxlab::nic
