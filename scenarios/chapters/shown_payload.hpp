// Payload of TCP packets as somebody beside the stream is shown it, held against what was sent.
#pragma once

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/ring/pattern.hpp"

namespace zcrxlab {

// Where things stand in a packet of TCP, in bytes from the begin of its IP header.
struct TcpPacket {
    uint8_t family = 4;
    uint16_t destination = 0;  // port
    uint32_t sequence = 0;     // of the first byte of payload
    size_t transport = 0;      // the TCP header
    size_t payload = 0, end = 0;
};

// Of the first bytes of a packet. Nothing if it is of another protocol, its headers are not all
// here, or they say that it has no payload.
inline std::optional<TcpPacket> tcp_packet(std::span<const std::byte> packet) {
    iphdr v4{};
    ip6_hdr v6{};
    tcphdr tcp{};
    TcpPacket found;
    if (packet.size() < sizeof v4) return {};
    std::memcpy(&v4, packet.data(), sizeof v4);
    if (v4.version == 4 && v4.protocol == IPPROTO_TCP) {
        found.transport = v4.ihl * size_t{4};
        found.end = ntohs(v4.tot_len);
    } else if (v4.version == 6 && packet.size() >= sizeof v6) {
        std::memcpy(&v6, packet.data(), sizeof v6);
        if (v6.ip6_nxt != IPPROTO_TCP) return {};
        found.family = 6;
        found.transport = sizeof v6;
        found.end = found.transport + ntohs(v6.ip6_plen);
    } else {
        return {};
    }
    if (packet.size() < found.transport + sizeof tcp) return {};
    std::memcpy(&tcp, packet.data() + found.transport, sizeof tcp);
    found.destination = ntohs(tcp.th_dport);
    found.sequence = ntohl(tcp.th_seq);
    found.payload = found.transport + tcp.th_off * size_t{4};
    return found.end > found.payload ? std::optional(found) : std::nullopt;
}

struct ShownPayload {
    uint32_t sequence = 0;         // of its first byte
    size_t announced = 0;          // bytes, by the headers
    std::vector<std::byte> shown;  // those of them that are there
};

// Of the first bytes of a packet. Nothing if these do not say that it has payload for the port.
inline std::optional<ShownPayload> shown_payload(std::span<const std::byte> packet, uint16_t port) {
    const auto tcp = tcp_packet(packet);
    if (!tcp || tcp->destination != port) return {};
    ShownPayload payload{
        .sequence = tcp->sequence, .announced = tcp->end - tcp->payload, .shown = {}};
    // Padding of a short frame is behind the end.
    const auto there = packet.first(std::min(packet.size(), tcp->end));
    if (there.size() > tcp->payload)
        payload.shown.assign(there.begin() + static_cast<std::ptrdiff_t>(tcp->payload),
                             there.end());
    return payload;
}

// Of many packets: how much was shown, and how much of that was what was sent.
struct ShownBytes {
    size_t packets = 0;
    size_t announced = 0, shown = 0, wrong = 0, zeros = 0;  // bytes; zeros are wrong, too

    // Of the stream whose pattern has `seed`, and whose first byte has the number `first`.
    void add(const ShownPayload& payload, uint64_t seed, uint32_t first) {
        ++packets;
        announced += payload.announced;
        shown += payload.shown.size();
        std::vector<std::byte> sent(payload.shown.size());
        Pattern(seed).fill(sent, payload.sequence - first);
        for (size_t i = 0; i < sent.size(); ++i) {
            if (payload.shown[i] == sent[i]) continue;
            ++wrong;
            if (payload.shown[i] == std::byte{0}) ++zeros;
        }
    }
    std::string text() const {
        return std::to_string(packets) + " packets with " + std::to_string(announced) +
               " bytes of payload, of which " + std::to_string(shown) + " were shown, " +
               std::to_string(wrong) + " of them wrong (" + std::to_string(zeros) + " zeros)";
    }
};

}  // namespace zcrxlab
