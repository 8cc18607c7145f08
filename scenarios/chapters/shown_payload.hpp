// Payload of TCP packets as somebody beside the stream is shown it, held against what was sent.
#pragma once

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/ring/pattern.hpp"

namespace zcrxlab {

struct ShownPayload {
    uint32_t sequence = 0;         // of its first byte
    size_t announced = 0;          // bytes, by the headers
    std::vector<std::byte> shown;  // those of them that are there
};

// Of the first bytes of an IPv4 packet. Nothing if these do not say that it has payload for the
// port.
inline std::optional<ShownPayload> shown_payload(std::span<const std::byte> packet, uint16_t port) {
    iphdr ip{};
    tcphdr tcp{};
    if (packet.size() < sizeof ip) return {};
    std::memcpy(&ip, packet.data(), sizeof ip);
    const size_t header = ip.ihl * size_t{4}, end = ntohs(ip.tot_len);
    if (ip.version != 4 || ip.protocol != IPPROTO_TCP || packet.size() < header + sizeof tcp)
        return {};
    std::memcpy(&tcp, packet.data() + header, sizeof tcp);
    const size_t begin = header + tcp.th_off * size_t{4};
    if (ntohs(tcp.th_dport) != port || end <= begin) return {};
    ShownPayload payload{.sequence = ntohl(tcp.th_seq), .announced = end - begin, .shown = {}};
    // Padding of a short frame is behind the end.
    const auto there = packet.first(packet.size() < end ? packet.size() : end);
    if (there.size() > begin) payload.shown.assign(there.begin() + begin, there.end());
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
