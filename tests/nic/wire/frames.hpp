// Frames for tests of the wire, built byte by byte and with none of the code under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace zcrxlab::nic {

using Bytes = std::vector<std::byte>;

inline void append8(Bytes& out, unsigned value) {
    out.push_back(std::byte(value & 0xff));
}
inline void append16(Bytes& out, unsigned value) {
    append8(out, value >> 8);
    append8(out, value);
}
inline void append32(Bytes& out, uint32_t value) {
    append16(out, value >> 16);
    append16(out, value & 0xffff);
}
inline unsigned at8(const Bytes& bytes, size_t at) {
    return std::to_integer<unsigned>(bytes[at]);
}
inline unsigned at16(const Bytes& bytes, size_t at) {
    return at8(bytes, at) << 8 | at8(bytes, at + 1);
}
inline uint32_t at32(const Bytes& bytes, size_t at) {
    return at16(bytes, at) << 16 | at16(bytes, at + 2);
}
inline void set16(Bytes& bytes, size_t at, unsigned value) {
    bytes[at] = std::byte(value >> 8 & 0xff);
    bytes[at + 1] = std::byte(value & 0xff);
}

// What a frame is made of.
struct FrameShape {
    int family = 4;
    unsigned vlan_tags = 0;
    unsigned protocol = 6;
    Bytes ip_options;              // IPv4 options, or whole IPv6 extension headers
    unsigned first_header = 0;     // next header of the IPv6 header where ip_options is not empty
    uint32_t source = 0x0a000001;  // IPv6: the last 4 bytes
    uint32_t destination = 0x0a000002;
    unsigned source_port = 40000;
    unsigned destination_port = 5201;
    unsigned identification = 100;
    unsigned fragment = 0x4000;  // flags and offset of IPv4
    uint32_t sequence = 1000;
    uint32_t acknowledgment = 77;
    unsigned flags = 0x10;
    unsigned window = 512;
    Bytes tcp_options;
    Bytes payload;
};

// Byte `position` of a stream, different wherever one looks.
inline std::byte stream_byte(uint64_t position) {
    uint64_t mixed = (position + 1) * 0x9e3779b97f4a7c15;
    return std::byte((mixed >> 56 ^ mixed >> 24) & 0xff);
}
inline Bytes stream_bytes(uint64_t position, size_t count) {
    Bytes bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = stream_byte(position + i);
    return bytes;
}

// The checksum, one 16-bit word after the other, as RFC 1071 words it.
inline unsigned slow_sum(const Bytes& bytes, uint32_t sum = 0) {
    for (size_t i = 0; i < bytes.size(); i += 2) {
        unsigned low = i + 1 < bytes.size() ? at8(bytes, i + 1) : 0;
        sum += at8(bytes, i) << 8 | low;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

struct BuiltFrame {
    Bytes bytes;
    size_t l3 = 0;
    size_t l4 = 0;
    size_t payload = 0;
};

inline BuiltFrame build_frame(const FrameShape& shape) {
    BuiltFrame built;
    Bytes& out = built.bytes;
    for (unsigned i = 0; i < 12; ++i) append8(out, 0x10 + i);
    for (unsigned i = 0; i < shape.vlan_tags; ++i) {
        append16(out, i + 1 < shape.vlan_tags ? 0x88a8 : 0x8100);
        append16(out, 100 + i);
    }
    append16(out, shape.family == 4 ? 0x0800 : 0x86dd);
    built.l3 = out.size();

    Bytes l4;
    append16(l4, shape.source_port);
    append16(l4, shape.destination_port);
    size_t checksum_at = 0;
    if (shape.protocol == 6) {
        append32(l4, shape.sequence);
        append32(l4, shape.acknowledgment);
        append8(l4, static_cast<unsigned>((20 + shape.tcp_options.size()) / 4 << 4));
        append8(l4, shape.flags);
        append16(l4, shape.window);
        checksum_at = l4.size();
        append32(l4, 0);
        l4.insert(l4.end(), shape.tcp_options.begin(), shape.tcp_options.end());
    } else {
        append16(l4, static_cast<unsigned>(8 + shape.payload.size()));
        checksum_at = l4.size();
        append16(l4, 0);
    }
    size_t l4_header = l4.size();
    l4.insert(l4.end(), shape.payload.begin(), shape.payload.end());

    Bytes addresses;
    if (shape.family == 4) {
        append32(addresses, shape.source);
        append32(addresses, shape.destination);
    } else {
        for (uint32_t last : {shape.source, shape.destination}) {
            append32(addresses, 0xfd000000);
            append32(addresses, 0);
            append32(addresses, 0);
            append32(addresses, last);
        }
    }
    Bytes pseudo = addresses;
    append32(pseudo, static_cast<uint32_t>(l4.size()));
    append32(pseudo, shape.protocol);
    unsigned checksum = ~slow_sum(l4, slow_sum(pseudo)) & 0xffff;
    if (checksum == 0 && shape.protocol == 17) checksum = 0xffff;
    if (shape.protocol == 6 || shape.protocol == 17) set16(l4, checksum_at, checksum);

    if (shape.family == 4) {
        Bytes ip;
        append8(ip, static_cast<unsigned>(0x40 + (20 + shape.ip_options.size()) / 4));
        append8(ip, 0);
        append16(ip, static_cast<unsigned>(20 + shape.ip_options.size() + l4.size()));
        append16(ip, shape.identification);
        append16(ip, shape.fragment);
        append8(ip, 64);
        append8(ip, shape.protocol);
        append16(ip, 0);
        ip.insert(ip.end(), addresses.begin(), addresses.end());
        ip.insert(ip.end(), shape.ip_options.begin(), shape.ip_options.end());
        set16(ip, 10, ~slow_sum(ip) & 0xffff);
        out.insert(out.end(), ip.begin(), ip.end());
    } else {
        append32(out, 0x60012345);
        append16(out, static_cast<unsigned>(shape.ip_options.size() + l4.size()));
        append8(out, shape.ip_options.empty() ? shape.protocol : shape.first_header);
        append8(out, 64);
        out.insert(out.end(), addresses.begin(), addresses.end());
        out.insert(out.end(), shape.ip_options.begin(), shape.ip_options.end());
    }
    built.l4 = out.size();
    built.payload = built.l4 + l4_header;
    out.insert(out.end(), l4.begin(), l4.end());
    return built;
}

// Timestamps as Linux sends them: two NOPs, kind 8.
inline Bytes timestamp_option(uint32_t value = 0x01020304) {
    Bytes option;
    append32(option, 0x0101080a);
    append32(option, value);
    append32(option, 0x0a0b0c0d);
    return option;
}

// True if the IPv4 header checksum (if any) and the TCP or UDP checksum of a frame of this shape
// are right, by the slow sum.
inline bool checksums_right(const Bytes& bytes, const FrameShape& shape) {
    size_t l3 = 14 + 4 * shape.vlan_tags;
    size_t l4 = l3 + (shape.family == 4 ? 20 : 40) + shape.ip_options.size();
    Bytes header(bytes.begin() + l3, bytes.begin() + l4);
    if (shape.family == 4 && slow_sum(header) != 0xffff) return false;
    Bytes rest(bytes.begin() + l4, bytes.end());
    size_t addresses = shape.family == 4 ? 8 : 32;
    size_t at = shape.family == 4 ? 12 : 8;
    Bytes pseudo(header.begin() + at, header.begin() + at + addresses);
    append32(pseudo, static_cast<uint32_t>(rest.size()));
    append32(pseudo, shape.protocol);
    return slow_sum(rest, slow_sum(pseudo)) == 0xffff;
}

}  // namespace zcrxlab::nic
