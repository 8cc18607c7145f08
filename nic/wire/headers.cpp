// Headers: finds the Ethernet, VLAN, IP and TCP, UDP or ICMP headers of a frame that nobody vouches
// for.
#include "nic/wire/headers.hpp"

#include <algorithm>

namespace zcrxlab::nic {
namespace {

// EtherTypes (IEEE 802).
constexpr uint16_t kTypeIpv4 = 0x0800;
constexpr uint16_t kTypeIpv6 = 0x86dd;
constexpr uint16_t kTypeVlan = 0x8100;
constexpr uint16_t kTypeServiceVlan = 0x88a8;

// Protocol numbers (IANA).
constexpr uint8_t kIcmp = 1;
constexpr uint8_t kTcp = 6;
constexpr uint8_t kUdp = 17;
constexpr uint8_t kIcmpv6 = 58;
constexpr uint8_t kHopByHop = 0;
constexpr uint8_t kRouting = 43;
constexpr uint8_t kFragmentHeader = 44;
constexpr uint8_t kAuthentication = 51;
constexpr uint8_t kDestinationOptions = 60;

constexpr unsigned kMaximumExtensionHeaders = 8;

void parse_tcp(std::span<const std::byte> frame, ParsedHeaders& h) {
    size_t at = h.l4_offset;
    if (h.end - at < kTcpHeader) return;
    size_t length = size_t{get8(frame, at + 12)} / 16 * 4;
    if (length < kTcpHeader || length > h.end - at) return;
    h.l4 = L4::kTcp;
    h.source_port = get16(frame, at);
    h.destination_port = get16(frame, at + 2);
    h.tcp_sequence = get32(frame, at + kTcpSequence);
    h.tcp_acknowledgment = get32(frame, at + 8);
    h.tcp_flags = get8(frame, at + kTcpFlags);
    h.payload_offset = static_cast<uint16_t>(at + length);
}

void parse_udp(std::span<const std::byte> frame, PacketEnd end_from, ParsedHeaders& h) {
    size_t at = h.l4_offset;
    if (h.end - at < kUdpHeader) return;
    size_t length = end_from == PacketEnd::kFrame ? h.end - at : get16(frame, at + kUdpLength);
    if (length < kUdpHeader || length > h.end - at) return;
    h.l4 = L4::kUdp;
    h.source_port = get16(frame, at);
    h.destination_port = get16(frame, at + 2);
    h.payload_offset = static_cast<uint16_t>(at + kUdpHeader);
    h.end = static_cast<uint32_t>(at + length);
}

void parse_l4(std::span<const std::byte> frame, PacketEnd end_from, ParsedHeaders& h) {
    if (h.protocol == kTcp) {
        parse_tcp(frame, h);
    } else if (h.protocol == kUdp) {
        parse_udp(frame, end_from, h);
    } else if (h.protocol == (h.l3 == L3::kIpv4 ? kIcmp : kIcmpv6)) {
        h.l4 = L4::kIcmp;
    }
}

void parse_ipv4(std::span<const std::byte> frame, PacketEnd end_from, ParsedHeaders& h) {
    size_t at = h.l3_offset;
    if (frame.size() - at < kIpv4Header || get8(frame, at) >> 4 != 4) return;
    size_t header = size_t{get8(frame, at)} % 16 * 4;
    size_t total =
        end_from == PacketEnd::kFrame ? frame.size() - at : get16(frame, at + kIpv4TotalLength);
    if (header < kIpv4Header || header > total || total > frame.size() - at) return;
    h.l3 = L3::kIpv4;
    h.traffic_class = get8(frame, at + 1);
    h.protocol = get8(frame, at + 9);
    std::memcpy(h.source, frame.data() + at + 12, 4);
    std::memcpy(h.destination, frame.data() + at + 16, 4);
    h.l4_offset = h.payload_offset = static_cast<uint16_t>(at + header);
    h.end = static_cast<uint32_t>(at + total);
    // Offset or "more fragments": the transport header is not here, or is not all of it.
    if ((get16(frame, at + kIpv4Fragment) & 0x3fff) != 0) {
        h.l4 = L4::kFragment;
    } else {
        parse_l4(frame, end_from, h);
    }
}

void parse_ipv6(std::span<const std::byte> frame, PacketEnd end_from, ParsedHeaders& h) {
    size_t at = h.l3_offset;
    if (frame.size() - at < kIpv6Header || get8(frame, at) >> 4 != 6) return;
    size_t total = end_from == PacketEnd::kFrame
                       ? frame.size() - at
                       : kIpv6Header + get16(frame, at + kIpv6PayloadLength);
    if (total > frame.size() - at) return;
    h.l3 = L3::kIpv6;
    h.traffic_class = static_cast<uint8_t>(get16(frame, at) >> 4);
    h.protocol = get8(frame, at + 6);
    std::memcpy(h.source, frame.data() + at + 8, 16);
    std::memcpy(h.destination, frame.data() + at + 24, 16);
    h.end = static_cast<uint32_t>(at + total);
    at += kIpv6Header;
    h.l4_offset = h.payload_offset = static_cast<uint16_t>(at);
    for (unsigned i = 0; i <= kMaximumExtensionHeaders; ++i) {
        bool authentication = h.protocol == kAuthentication;
        if (h.protocol != kHopByHop && h.protocol != kRouting && h.protocol != kFragmentHeader &&
            h.protocol != kDestinationOptions && !authentication) {
            parse_l4(frame, end_from, h);
            return;
        }
        if (h.end - at < 8) return;
        uint8_t units = get8(frame, at + 1);
        size_t length = authentication ? (size_t{units} + 2) * 4 : (size_t{units} + 1) * 8;
        if (h.protocol == kFragmentHeader) {
            length = 8;
            if ((get16(frame, at + 2) & 0xfff9) != 0) h.l4 = L4::kFragment;
        }
        if (length > h.end - at) {
            h.l4 = L4::kOther;
            return;
        }
        // Segments left: the checksum covers another destination than the one in the header.
        if (h.protocol == kRouting && get8(frame, at + 3) != 0) return;
        h.protocol = get8(frame, at);
        at += length;
        h.l4_offset = h.payload_offset = static_cast<uint16_t>(at);
        if (h.l4 == L4::kFragment) return;
    }
}

}  // namespace

ParsedHeaders parse_headers(std::span<const std::byte> frame, PacketEnd end_from) {
    ParsedHeaders h;
    h.end = static_cast<uint32_t>(frame.size());
    if (frame.size() < kEthernetHeader) return h;
    size_t at = kEthernetHeader;
    uint16_t type = get16(frame, at - 2);
    while ((type == kTypeVlan || type == kTypeServiceVlan) && h.vlan_tags < kMaximumVlanTags &&
           frame.size() - at >= kVlanTag) {
        type = get16(frame, at + 2);
        at += kVlanTag;
        h.vlan_tags += 1;
    }
    h.l3_offset = h.l4_offset = h.payload_offset = static_cast<uint16_t>(at);
    if (type == kTypeIpv4) parse_ipv4(frame, end_from, h);
    if (type == kTypeIpv6) parse_ipv6(frame, end_from, h);
    return h;
}

}  // namespace zcrxlab::nic
