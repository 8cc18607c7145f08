// Segmentation: cuts one large TCP or UDP frame, as a NIC does for TSO and USO.
#include "nic/wire/segmentation.hpp"

#include <algorithm>

#include "nic/wire/checksum.hpp"

namespace zcrxlab::nic {

bool can_segment(const ParsedHeaders& headers, uint16_t mss) {
    const bool kind =
        headers.l4 == L4::kUdp ||
        (headers.l4 == L4::kTcp && (headers.tcp_flags & (kTcpSyn | kTcpRst | kTcpUrg)) == 0);
    return kind && mss >= kMinimumMss && headers.payload_length() > 0 &&
           headers.payload_offset <= kMaximumSegmentHeader;
}

Segmenter::Segmenter(std::span<std::byte> frame, const ParsedHeaders& headers, uint16_t mss)
    : frame_(frame),
      headers_(headers),
      mss_(mss),
      count_((headers.payload_length() + mss - 1) / mss) {
    std::copy_n(frame.begin(), headers.payload_offset, template_);
}

std::optional<Segment> Segmenter::next() {
    if (index_ == count_) return std::nullopt;
    uint32_t offset = index_ * mss_;
    uint32_t payload = std::min<uint32_t>(mss_, headers_.payload_length() - offset);
    Segment segment;
    segment.bytes = frame_.subspan(offset, headers_.payload_offset + payload);
    std::copy_n(template_, headers_.payload_offset, segment.bytes.begin());
    ParsedHeaders& h = segment.headers;
    h = headers_;
    h.end = h.payload_offset + payload;
    if (h.l3 == L3::kIpv4) {
        size_t at = h.l3_offset + kIpv4Identification;
        put16(segment.bytes, at, static_cast<uint16_t>(get16(segment.bytes, at) + index_));
    }
    set_ip_length(segment.bytes, h);
    if (h.l4 == L4::kTcp) {
        h.tcp_sequence += offset;
        if (index_ != 0) h.tcp_flags &= static_cast<uint8_t>(~kTcpCwr);
        if (index_ + 1 != count_) h.tcp_flags &= static_cast<uint8_t>(~(kTcpFin | kTcpPsh));
        put32(segment.bytes, h.l4_offset + kTcpSequence, h.tcp_sequence);
        put8(segment.bytes, h.l4_offset + kTcpFlags, h.tcp_flags);
    } else {
        put16(segment.bytes, h.l4_offset + kUdpLength, static_cast<uint16_t>(kUdpHeader + payload));
    }
    fill_l4_checksum(segment.bytes, h);
    index_ += 1;
    return segment;
}

void set_ip_length(std::span<std::byte> frame, const ParsedHeaders& headers) {
    uint32_t length = headers.end - headers.l3_offset;
    if (headers.l3 == L3::kIpv4) {
        put16(frame, headers.l3_offset + kIpv4TotalLength, static_cast<uint16_t>(length));
        fill_ipv4_checksum(frame, headers);
    } else if (headers.l3 == L3::kIpv6) {
        put16(frame, headers.l3_offset + kIpv6PayloadLength,
              static_cast<uint16_t>(length - kIpv6Header));
    }
}

}  // namespace zcrxlab::nic
