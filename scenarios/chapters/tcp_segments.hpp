// SegmentSource: TCP segments of our own making, sent to a receiver as if its peer had sent them.
//
// A kernel's TCP never sends what a scenario about the receiver needs: overlaps cut differently, an
// urgent byte in just this packet, a reset a little off. The connection itself is a real one, whose
// other end stays silent.
#pragma once

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

// Flags of the TCP header.
inline constexpr uint8_t kTcpFin = 0x01;
inline constexpr uint8_t kTcpReset = 0x04;
inline constexpr uint8_t kTcpUrgent = 0x20;

struct Segment {
    int64_t from = 0;     // stream position of its first byte; before 0 the payload is zeros
    uint32_t length = 0;  // bytes of payload
    uint8_t flags = 0;    // besides ACK
    uint16_t urgent = 0;  // the urgent pointer, counted from `from`
    bool bad_checksum = false;
    uint32_t trailing = 0;  // bytes behind the IP packet, in the same frame
};

struct PacketHeaders {
    iphdr ip{};
    tcphdr tcp{};
};
static_assert(sizeof(PacketHeaders) == 40);

// A segment without options. Addresses, ports, numbers, TTL and DF are the caller's; what is the
// same in all of them, and the checksum of TCP, is filled in.
std::vector<std::byte> tcp_packet(PacketHeaders headers, std::span<const std::byte> payload);

// Sends an IP packet from the peer's interface to that of the receiver, whomever it is for, as a
// frame that ends `trailing` bytes later. Fills its length and its header's checksum in.
void send_frame(Scene& scene, std::vector<std::byte> packet, uint32_t trailing = 0);

class SegmentSource {
  public:
    // For a stream over IPv4 that was connected without a request, whose peer is idle and has sent
    // nothing. The receiver's socket will end with a reset.
    SegmentSource(Scene& scene, const ReceivePath& rx, uint32_t stream);

    // Sends the bytes of the stream's pattern, and records how far the stream has come by it. Waits
    // where half of the NIC's receive ring is on its way: nobody sends again what a NIC drops.
    void send(const Segment& segment);
    void send_all(const std::vector<Segment>& segments) {
        for (const Segment& segment : segments) send(segment);
    }
    // [from, to) in order, in segments of `length` bytes.
    void send_range(uint64_t from, uint64_t to, uint32_t length);
    // The end of the stream, behind everything that was sent.
    void finish() { send({.from = static_cast<int64_t>(total_), .flags = kTcpFin}); }
    uint64_t total() const { return total_; }

  private:
    // Waits until the receiver's socket has seen what was sent, or has no connection any more.
    void wait_until_seen();

    Scene& scene_;
    uint32_t stream_;
    int receiver_;  // its socket
    Pattern pattern_;
    Fd socket_;  // of IP packets
    sockaddr_in source_{}, destination_{};
    uint32_t sequence_ = 0;         // of position 0
    uint32_t acknowledgement_ = 0;  // of everything that the receiver has sent
    uint64_t total_ = 0;            // one more than the highest position sent
    uint32_t at_once_;              // segments that are never too many for the receive ring
    uint32_t sent_ = 0;             // since the last wait
    uint32_t seen_ = 0;             // of the socket, when it has seen all but these
};

// A stream of a rx of its own, without a request yet, whose peer is a SegmentSource.
struct ForgedStream {
    explicit ForgedStream(Scene& scene, const ReceivePathOptions& options = {},
                          const TcpOptions& tcp = {})
        : rx(scene, options),
          stream(rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .tcp = tcp, .armed = false})),
          source(scene, rx, stream) {}
    // Receives to the end; fails the scenario if not all that was sent is there.
    void receive_all();

    ReceivePath rx;
    uint32_t stream;
    SegmentSource source;
};

}  // namespace zcrxlab
