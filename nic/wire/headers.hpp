// Headers: finds the Ethernet, VLAN, IP and TCP, UDP or ICMP headers of a frame that nobody vouches
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "harness/base/endian.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic {

inline constexpr size_t kEthernetHeader = 14;  // IEEE 802.3: two addresses and the type
inline constexpr size_t kVlanTag = 4;          // IEEE 802.1Q
inline constexpr unsigned kMaximumVlanTags = 2;

// TCP flags (RFC 9293, RFC 3168).
inline constexpr uint8_t kTcpFin = 0x01;
inline constexpr uint8_t kTcpSyn = 0x02;
inline constexpr uint8_t kTcpRst = 0x04;
inline constexpr uint8_t kTcpPsh = 0x08;
inline constexpr uint8_t kTcpAck = 0x10;
inline constexpr uint8_t kTcpUrg = 0x20;
inline constexpr uint8_t kTcpEce = 0x40;
inline constexpr uint8_t kTcpCwr = 0x80;

// Fixed offsets inside the headers (RFC 791, RFC 8200, RFC 9293, RFC 768).
inline constexpr size_t kIpv4Header = 20;
inline constexpr size_t kIpv4TotalLength = 2;
inline constexpr size_t kIpv4Identification = 4;
inline constexpr size_t kIpv4Fragment = 6;
inline constexpr size_t kIpv4Checksum = 10;
inline constexpr size_t kIpv6Header = 40;
inline constexpr size_t kIpv6PayloadLength = 4;
inline constexpr size_t kTcpHeader = 20;
inline constexpr size_t kTcpSequence = 4;
inline constexpr size_t kTcpFlags = 13;
inline constexpr size_t kTcpChecksum = 16;
inline constexpr size_t kUdpHeader = 8;
inline constexpr size_t kUdpLength = 4;
inline constexpr size_t kUdpChecksum = 6;

// Every offset is at most the size of the frame that was parsed, counted from its first byte, and
// l3 <= l4 <= payload <= end.
struct ParsedHeaders {
    uint8_t vlan_tags = 0;
    L3 l3 = L3::kOther;  // kOther also if the IP header contradicts the frame
    L4 l4 = L4::kOther;  // kOther also if its header is cut off or contradicts the IP header
    uint16_t l3_offset = 0;
    uint16_t l4_offset = 0;       // behind IP options and extension headers
    uint16_t payload_offset = 0;  // behind the last header that was understood
    uint32_t end = 0;             // of the transport's payload: Ethernet padding is behind it

    uint8_t protocol = 0;       // IPv4 protocol or last IPv6 next header
    uint8_t traffic_class = 0;  // TOS or traffic class
    uint8_t source[16] = {};    // IPv4: first 4 bytes
    uint8_t destination[16] = {};
    uint16_t source_port = 0;  // TCP and UDP only, host order
    uint16_t destination_port = 0;

    uint32_t tcp_sequence = 0;
    uint32_t tcp_acknowledgment = 0;
    uint8_t tcp_flags = 0;

    uint32_t payload_length() const { return end - payload_offset; }
};

// What tells where the packet ends. A frame still to be cut may be longer than an IP length field
// can say.
enum class PacketEnd : uint8_t { kIpLength, kFrame };

// Never fails: what is not understood stays kOther.
ParsedHeaders parse_headers(std::span<const std::byte> frame,
                            PacketEnd end_from = PacketEnd::kIpLength);

// Big-endian fields at a byte offset; the caller has checked the range.
inline uint8_t get8(std::span<const std::byte> bytes, size_t at) {
    return static_cast<uint8_t>(bytes[at]);
}
inline uint16_t get16(std::span<const std::byte> bytes, size_t at) {
    Be16 value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
}
inline uint32_t get32(std::span<const std::byte> bytes, size_t at) {
    Be32 value;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
}
inline void put8(std::span<std::byte> bytes, size_t at, uint8_t value) {
    bytes[at] = std::byte{value};
}
inline void put16(std::span<std::byte> bytes, size_t at, uint16_t value) {
    Be16 stored(value);
    std::memcpy(bytes.data() + at, &stored, sizeof(stored));
}
inline void put32(std::span<std::byte> bytes, size_t at, uint32_t value) {
    Be32 stored(value);
    std::memcpy(bytes.data() + at, &stored, sizeof(stored));
}

}  // namespace zcrxlab::nic
