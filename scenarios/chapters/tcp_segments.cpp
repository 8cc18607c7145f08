// SegmentSource: sequence numbers come from the receiver itself, packets go through a raw socket.
#include "scenarios/chapters/tcp_segments.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

#include "harness/net/namespace.hpp"
#include "harness/net/tcp_info.hpp"

namespace zcrxlab {
namespace {

constexpr uint8_t kAck = 0x10;
constexpr uint8_t kPush = 0x08;
constexpr uint16_t kWindow = 0xffff;
// Values of TCP_REPAIR and TCP_REPAIR_QUEUE (linux/tcp.h).
constexpr int kRepairOn = 1, kRepairOff = -1;  // off without a probe of the window
constexpr int kReceiveQueue = 1, kSendQueue = 2;

// RFC 1071 over big-endian words; `sum` of what was added before.
uint32_t add_words(uint32_t sum, const void* bytes, size_t size) {
    const auto* at = static_cast<const uint8_t*>(bytes);
    for (size_t i = 0; i < size; ++i) sum += i % 2 == 0 ? uint32_t{at[i]} << 8 : at[i];
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

uint16_t tcp_checksum(const iphdr& ip, const tcphdr& tcp, std::span<const std::byte> payload) {
    const uint16_t length = htons(static_cast<uint16_t>(sizeof tcp + payload.size()));
    const std::array<uint8_t, 2> protocol{0, IPPROTO_TCP};
    uint32_t sum = add_words(0, &ip.saddr, 8);
    sum = add_words(sum, protocol.data(), protocol.size());
    sum = add_words(sum, &length, sizeof length);
    sum = add_words(sum, &tcp, sizeof tcp);
    sum = add_words(sum, payload.data(), payload.size());
    return htons(static_cast<uint16_t>(~sum));
}

std::vector<std::byte> joined(const PacketHeaders& headers, std::span<const std::byte> payload) {
    std::vector<std::byte> packet(sizeof headers + payload.size());
    std::memcpy(packet.data(), &headers, sizeof headers);
    std::copy(payload.begin(), payload.end(), packet.begin() + sizeof headers);
    return packet;
}

void set_option(Scene& scene, int socket, int option, int value) {
    if (::setsockopt(socket, IPPROTO_TCP, option, &value, sizeof value) != 0)
        scene.must(Result<void>(error_from_errno("set TCP option " + std::to_string(option))));
}

uint32_t sequence_of(Scene& scene, int socket, int queue) {
    set_option(scene, socket, TCP_REPAIR_QUEUE, queue);
    uint32_t sequence = 0;
    socklen_t size = sizeof sequence;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_QUEUE_SEQ, &sequence, &size) != 0)
        scene.must(Result<void>(error_from_errno("ask for a sequence number")));
    return sequence;
}

// Segments with a right checksum that have come to a socket, in order or not; nothing where it has
// no connection.
std::optional<uint32_t> segments_seen(int socket) {
    const std::optional<LongTcpInfo> info = tcp_info_of(socket);
    if (!info || info->known.tcpi_state == TCP_CLOSE) return {};
    return info->segs_in;
}

// All of them where there is no ring, or none that can be asked.
uint32_t half_of_receive_ring(Scene& scene) {
    if (!scene.has_device()) return std::numeric_limits<uint32_t>::max();
    const auto entries = scene.ring_sizes().rx;
    return entries ? std::max(*entries / 2, 1U) : std::numeric_limits<uint32_t>::max();
}

}  // namespace

std::vector<std::byte> tcp_packet(PacketHeaders headers, std::span<const std::byte> payload) {
    headers.ip.version = 4;
    headers.ip.ihl = 5;
    headers.ip.protocol = IPPROTO_TCP;
    headers.tcp.th_off = sizeof headers.tcp / 4;
    headers.tcp.th_flags |= kAck;
    headers.tcp.th_win = htons(kWindow);
    headers.tcp.th_sum = 0;
    headers.tcp.th_sum = tcp_checksum(headers.ip, headers.tcp, payload);
    return joined(headers, payload);
}

SegmentSource::SegmentSource(Scene& scene, const ReceivePath& rx, uint32_t stream)
    : scene_(scene),
      stream_(stream),
      receiver_(rx.socket(stream)),
      pattern_(rx.seed(stream)),
      at_once_(half_of_receive_ring(scene)) {
    seen_ = segments_seen(receiver_).value_or(0);
    set_option(scene, receiver_, TCP_REPAIR, kRepairOn);
    sequence_ = sequence_of(scene, receiver_, kReceiveQueue);
    acknowledgement_ = sequence_of(scene, receiver_, kSendQueue);
    set_option(scene, receiver_, TCP_REPAIR, kRepairOff);
    // Its peer does not believe that it sent anything, and would not answer a FIN.
    const linger at_once{1, 0};
    ::setsockopt(receiver_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);

    socklen_t size = sizeof source_;
    ::getpeername(receiver_, reinterpret_cast<sockaddr*>(&source_), &size);
    size = sizeof destination_;
    ::getsockname(receiver_, reinterpret_cast<sockaddr*>(&destination_), &size);
    socket_ = scene.must(in_namespace_get<Fd>(scene.endpoints().peer_namespace, []() -> Result<Fd> {
        Fd raw(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW));
        if (!raw) return error_from_errno("make a raw socket");
        return raw;
    }));
}

void SegmentSource::wait_until_seen() {
    const auto all_seen = [&] {
        const auto seen = segments_seen(receiver_);
        return !seen || *seen - seen_ >= sent_;
    };
    scene_.wait_for("The receiver's socket has not seen all segments that were sent to it.",
                    all_seen);
    seen_ += sent_;
    sent_ = 0;
}

void SegmentSource::send(const Segment& segment) {
    if (sent_ >= at_once_) wait_until_seen();
    // What has a wrong checksum comes to no socket, and there are never many of them.
    if (!segment.bad_checksum) ++sent_;
    std::vector<std::byte> payload(segment.length);
    if (segment.from >= 0) {
        pattern_.fill(payload, static_cast<uint64_t>(segment.from));
        const uint64_t end = static_cast<uint64_t>(segment.from) + segment.length;
        if (!segment.bad_checksum && end >= total_) {
            total_ = end;
            scene_.trace().add(PeerSent{stream_, total_});
        }
        if ((segment.flags & (kTcpFin | kTcpReset)) != 0)
            scene_.trace().add(PeerClosed{stream_, (segment.flags & kTcpReset) != 0});
    }

    PacketHeaders headers;
    headers.ip.version = 4;
    headers.ip.ihl = 5;
    headers.ip.ttl = 64;
    headers.ip.protocol = IPPROTO_TCP;
    headers.ip.frag_off = htons(IP_DF);
    headers.ip.saddr = source_.sin_addr.s_addr;
    headers.ip.daddr = destination_.sin_addr.s_addr;
    tcphdr& tcp = headers.tcp;
    tcp.th_sport = source_.sin_port;
    tcp.th_dport = destination_.sin_port;
    tcp.th_seq = htonl(sequence_ + static_cast<uint32_t>(segment.from));
    tcp.th_ack = htonl(acknowledgement_);
    tcp.th_off = sizeof tcp / 4;
    tcp.th_flags = kAck | segment.flags | (segment.length != 0 ? kPush : uint8_t{0});
    tcp.th_win = htons(kWindow);
    tcp.th_urp = htons(segment.urgent);

    tcp.th_sum = tcp_checksum(headers.ip, tcp, payload);
    // A byte that is wrong in the stream, too, should anybody take it.
    if (segment.bad_checksum && !payload.empty())
        payload.back() ^= std::byte{0x55};
    else if (segment.bad_checksum)
        tcp.th_sum = static_cast<uint16_t>(tcp.th_sum ^ htons(0x5555));

    std::vector<std::byte> packet = joined(headers, payload);
    if (segment.trailing != 0) {
        send_frame(scene_, std::move(packet), segment.trailing);
        return;
    }
    sockaddr_in to = destination_;
    to.sin_port = 0;
    if (::sendto(socket_.get(), packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&to),
                 sizeof to) != static_cast<ssize_t>(packet.size()))
        scene_.must(Result<void>(error_from_errno("send a TCP segment of our own")));
}

void send_frame(Scene& scene, std::vector<std::byte> packet, uint32_t trailing) {
    iphdr ip{};
    std::memcpy(&ip, packet.data(), sizeof ip);
    ip.tot_len = htons(static_cast<uint16_t>(packet.size()));
    ip.check = htons(static_cast<uint16_t>(~add_words(0, &ip, sizeof ip)));
    std::memcpy(packet.data(), &ip, sizeof ip);
    const Endpoints& ends = scene.endpoints();
    const std::string from = ends.peer_interface.empty() ? "lo" : ends.peer_interface;
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(ETH_P_IP);
    to.sll_halen = ETH_ALEN;
    // Without a protocol it receives nothing.
    const Fd frames = scene.must(in_namespace_get<Fd>(ends.peer_namespace, []() -> Result<Fd> {
        Fd raw(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (!raw) return error_from_errno("make a packet socket");
        return raw;
    }));
    ifreq request{};
    from.copy(request.ifr_name, IFNAMSIZ - 1);
    if (::ioctl(frames.get(), SIOCGIFINDEX, &request) != 0)
        scene.must(Result<void>(error_from_errno("look " + from + " up")));
    to.sll_ifindex = request.ifr_ifindex;
    if (!ends.interface.empty()) {
        ifreq hardware{};
        ends.interface.copy(hardware.ifr_name, IFNAMSIZ - 1);
        const Fd here(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (::ioctl(here.get(), SIOCGIFHWADDR, &hardware) != 0)
            scene.must(Result<void>(error_from_errno("ask for a hardware address")));
        std::memcpy(to.sll_addr, hardware.ifr_hwaddr.sa_data, ETH_ALEN);
    }
    const size_t length = packet.size() + trailing;
    packet.resize(length, std::byte{0xa5});
    if (::sendto(frames.get(), packet.data(), length, 0, reinterpret_cast<sockaddr*>(&to),
                 sizeof to) != static_cast<ssize_t>(length))
        scene.must(Result<void>(error_from_errno("send a frame of our own")));
}

void SegmentSource::send_range(uint64_t from, uint64_t to, uint32_t length) {
    for (uint64_t at = from; at < to; at += length) {
        send({.from = static_cast<int64_t>(at),
              .length = static_cast<uint32_t>(std::min<uint64_t>(length, to - at))});
    }
}

void ForgedStream::receive_all() {
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, source.total());
}

}  // namespace zcrxlab
