// Frame stream: what the two ends of a lab run on two machines say to each other through ssh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// The port of the other machine, as the program there tells it before anything else.
struct FarPort {
    std::string interface;
    std::string address;  // of Ethernet
    std::string driver;
    uint32_t mtu = 0;                   // bytes
    std::vector<std::string> refusals;  // why it must not be taken; whole sentences
    bool operator==(const FarPort&) const = default;
};

// Lines, the first of which no shell's greeting looks like.
std::string to_text(const FarPort& port);
// Out of what has come so far, with whatever a login shell printed in front of it; nothing while
// the end is not there yet. EPROTO if it will never be one.
Result<std::optional<FarPort>> far_port_from(std::string_view text);

// Then frames, in both directions: four bytes with the length, big-endian, and struct
// virtio_net_hdr (10 bytes, byte order of the machines) in front of the Ethernet header. One of
// length 0 asks the program to begin.
inline constexpr size_t kVirtioHeader = 10;
// Of a frame with both headers, a VLAN tag, and the longest segment that the kernel puts together.
inline constexpr size_t kLongestFrame = kVirtioHeader + 18 + 65536;

void append_frame(std::vector<std::byte>& stream, std::span<const std::byte> frame);

// Cuts the stream into frames.
class FrameReader {
  public:
    void feed(std::span<const std::byte> bytes);
    // The next whole frame, valid until the next call; nothing if it is not all there. EPROTO for a
    // length that is none.
    Result<std::optional<std::span<const std::byte>>> next();

  private:
    std::vector<std::byte> bytes_;
    size_t at_ = 0;
};

// What of a frame was in front of a VLAN tag that the NIC took out is put back around it: `frame`
// begins with the virtio header, whose offsets move along. Nothing is done to one that is too
// short to be Ethernet.
void put_tag_back(std::vector<std::byte>& frame, uint16_t protocol, uint16_t tag);

}  // namespace zcrxlab
