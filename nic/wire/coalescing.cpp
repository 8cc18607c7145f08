// Coalescing: joins in-order TCP segments of one flow into one large packet, as a NIC does for RSC.
#include "nic/wire/coalescing.hpp"

#include <algorithm>
#include <cstring>

#include "nic/wire/checksum.hpp"
#include "nic/wire/segmentation.hpp"

namespace zcrxlab::nic {
namespace {

constexpr uint32_t kMaximumIpLength = 65535;

bool ends_run(const ParsedHeaders& headers) {
    return (headers.tcp_flags & (kTcpPsh | kTcpFin)) != 0;
}

uint16_t identification(const Packet& packet) {
    if (packet.headers.l3 != L3::kIpv4) return 0;
    return get16(packet.bytes, packet.headers.l3_offset + kIpv4Identification);
}

// Whether two header runs of the same length are equal in [begin, end).
bool same(std::span<const std::byte> a, std::span<const std::byte> b, size_t begin, size_t end) {
    return std::equal(a.begin() + begin, a.begin() + end, b.begin() + begin);
}

// Equal headers but for what differs from segment to segment.
bool same_headers(std::span<const std::byte> a, std::span<const std::byte> b,
                  const ParsedHeaders& h) {
    size_t l3 = h.l3_offset;
    size_t l4 = h.l4_offset;
    if (h.l3 == L3::kIpv4) {
        // All but total length, identification and checksum.
        if (!same(a, b, 0, l3 + kIpv4TotalLength) ||
            !same(a, b, l3 + kIpv4Fragment, l3 + kIpv4Checksum) ||
            !same(a, b, l3 + kIpv4Checksum + 2, l4))
            return false;
    } else if (!same(a, b, 0, l3 + kIpv6PayloadLength) ||
               !same(a, b, l3 + kIpv6PayloadLength + 2, l4)) {
        return false;
    }
    // All but sequence number, PSH, FIN and checksum.
    uint8_t flags = get8(a, l4 + kTcpFlags) ^ get8(b, l4 + kTcpFlags);
    return same(a, b, l4, l4 + kTcpSequence) && same(a, b, l4 + kTcpSequence + 4, l4 + kTcpFlags) &&
           (flags & ~(kTcpPsh | kTcpFin)) == 0 &&
           same(a, b, l4 + kTcpFlags + 1, l4 + kTcpChecksum) &&
           same(a, b, l4 + kTcpChecksum + 2, h.payload_offset);
}

}  // namespace

bool can_coalesce(const ParsedHeaders& headers) {
    if (headers.l4 != L4::kTcp || headers.payload_length() == 0) return false;
    size_t ip_header = headers.l4_offset - headers.l3_offset;
    if (headers.l3 == L3::kIpv4 && ip_header != kIpv4Header) return false;
    return (headers.tcp_flags & ~(kTcpAck | kTcpPsh | kTcpFin | kTcpEce)) == 0 &&
           (headers.tcp_flags & kTcpAck) != 0;
}

bool can_begin(const Packet& packet, const RscLimits& limits) {
    // What lies behind the packet in its frame would come between two segments.
    return can_coalesce(packet.headers) && packet.bytes.size() == packet.headers.end &&
           packet.ip_checksum != ChecksumState::kBad &&
           packet.l4_checksum == ChecksumState::kGood &&
           packet.headers.payload_length() >= limits.shortest;
}

bool Coalescer::continues(const Packet& packet) const {
    const ParsedHeaders& first = packet_.headers;
    const ParsedHeaders& next = packet.headers;
    if (next.payload_offset != first.payload_offset || next.l3 != first.l3 ||
        next.l4_offset != first.l4_offset)
        return false;
    if (next.tcp_sequence != first.tcp_sequence + first.payload_length()) return false;
    if (next.payload_length() > mss_) return false;
    if (first.end - first.l3_offset + next.payload_length() > kMaximumIpLength) return false;
    if (first.l3 == L3::kIpv4) {
        const auto step = static_cast<uint16_t>(identification(packet) - identification_);
        if (step > 1 || (segments_ > 1 && step != step_)) return false;
    }
    return same_headers(bytes_, packet.bytes, first);
}

Coalescer::Offer Coalescer::add(const Packet& packet, const RscLimits& limits) {
    if (packet.fault || packet.rsc_mss != 0) return Offer::kRefused;
    const ParsedHeaders& next = packet.headers;
    if (segments_ == 0) {
        if (!can_begin(packet, limits)) return Offer::kRefused;
        bytes_.assign(packet.bytes.begin(), packet.bytes.begin() + next.end);
        packet_ = packet;
        mss_ = next.payload_length();
        identification_ = identification(packet);
        segments_ = 1;
        return ends_run(next) || limits.segments == 1 ? Offer::kComplete : Offer::kHeld;
    }
    if (!can_begin(packet, {}) || !continues(packet)) return Offer::kRefused;
    bytes_.insert(bytes_.end(), packet.bytes.begin() + next.payload_offset,
                  packet.bytes.begin() + next.end);
    step_ = static_cast<uint16_t>(identification(packet) - identification_);
    identification_ = identification(packet);
    packet_.headers.end += next.payload_length();
    packet_.headers.tcp_flags |= next.tcp_flags & (kTcpPsh | kTcpFin);
    segments_ += 1;
    bool ends = ends_run(next) || next.payload_length() != mss_ || segments_ >= limits.segments;
    return ends ? Offer::kComplete : Offer::kHeld;
}

Packet Coalescer::take() {
    Packet packet = packet_;
    packet.bytes = bytes_;
    if (segments_ > 1) {
        packet.rsc_mss = static_cast<uint16_t>(mss_);
        set_ip_length(packet.bytes, packet.headers);
        put8(packet.bytes, packet.headers.l4_offset + kTcpFlags, packet.headers.tcp_flags);
        fill_pseudo_header_sum(packet.bytes, packet.headers);
    }
    segments_ = 0;
    return packet;
}

}  // namespace zcrxlab::nic
