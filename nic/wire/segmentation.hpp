// Segmentation: cuts one large TCP or UDP frame, as a NIC does for TSO and USO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "nic/wire/headers.hpp"

namespace zcrxlab::nic {

inline constexpr uint16_t kMinimumMss = 16;           // bytes; less would be millions of segments
inline constexpr size_t kMaximumSegmentHeader = 512;  // bytes of headers in front of the payload

struct Segment {
    std::span<std::byte> bytes;  // valid until the next segment is asked for
    ParsedHeaders headers;       // of `bytes`
};

// Whether a frame may be cut at `mss`: UDP that carries data, or TCP that does and has no SYN, RST
// or URG.
bool can_segment(const ParsedHeaders& headers, uint16_t mss);

// Cuts in place: each segment's headers are written over the end of the payload before it, which
// the caller must be done with. Sequence numbers, IPv4 identification, lengths and flags follow
// (FIN and PSH on the last only, CWR on the first only); both checksums are computed. Of UDP each
// piece is a datagram of its own.
class Segmenter {
  public:
    // `headers` are those of `frame`, parsed with PacketEnd::kFrame; can_segment() said yes.
    Segmenter(std::span<std::byte> frame, const ParsedHeaders& headers, uint16_t mss);

    uint32_t count() const { return count_; }
    std::optional<Segment> next();

  private:
    std::span<std::byte> frame_;
    ParsedHeaders headers_;
    uint16_t mss_;
    uint32_t count_;
    uint32_t index_ = 0;
    std::byte template_[kMaximumSegmentHeader];  // the headers as they came
};

// Writes the IP length field for a packet that ends at headers.end, and the IPv4 checksum.
void set_ip_length(std::span<std::byte> frame, const ParsedHeaders& headers);

}  // namespace zcrxlab::nic
