// EthernetPort: frames as a descriptor gives and takes them, each with a struct virtio_net_hdr in
// front, so that segments that a NIC is to cut, and checksums that it is to fill in, stay so.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

class EthernetPort {
  public:
    virtual ~EthernetPort() = default;

    // Readable when there is a frame; does not block.
    virtual int descriptor() const = 0;
    // The next frame; empty if there is none now.
    virtual Result<std::vector<std::byte>> read() = 0;
    // Frames that there is no room for now are EAGAIN. One that the kernel does not like is dropped
    // as a bad cable would, since the other end is foreign.
    virtual Result<void> write(std::span<const std::byte> frame) = 0;
};

// A TAP interface of this name in the current network namespace; it goes when this does. ENODEV
// where the kernel has no TAP.
Result<std::unique_ptr<EthernetPort>> open_tap(const std::string& name);

// A packet socket, not on any port yet. EPERM without CAP_NET_RAW.
Result<Fd> open_packet_socket();
// Takes all frames of the port, also those for other addresses, and sends on it. Of the port's
// configuration nothing changes, and that it listens to all ends with the socket.
Result<std::unique_ptr<EthernetPort>> packet_port(Fd socket, unsigned ifindex);

}  // namespace zcrxlab
