// VirtioHeader: what a packet socket or a tap with PACKET_VNET_HDR or IFF_VNET_HDR puts in front of
// each frame. It is struct virtio_net_hdr of linux/virtio_net.h, which is no C++.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zcrxlab {

// In the byte order of the machine; offsets are bytes from the begin of the frame.
struct VirtioHeader {
    uint8_t flags, segmentation;
    uint16_t header_length, segment_size, checksum_start, checksum_offset;

    static constexpr uint8_t kNeedsChecksum = 1;  // VIRTIO_NET_HDR_F_NEEDS_CSUM
    static constexpr uint8_t kNone = 0;           // VIRTIO_NET_HDR_GSO_NONE
    static constexpr uint8_t kTcpV4 = 1;          // VIRTIO_NET_HDR_GSO_TCPV4
    static constexpr uint8_t kTcpV6 = 4;          // VIRTIO_NET_HDR_GSO_TCPV6
};
static_assert(sizeof(VirtioHeader) == 10);
static_assert(offsetof(VirtioHeader, segmentation) == 1);
static_assert(offsetof(VirtioHeader, segment_size) == 4);
static_assert(offsetof(VirtioHeader, checksum_start) == 6);
static_assert(offsetof(VirtioHeader, checksum_offset) == 8);

}  // namespace zcrxlab
