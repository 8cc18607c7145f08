// Chapter neighbours: packet sockets beside a stream whose payload cannot be read.
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>

#include "harness/base/mapping.hpp"
#include "harness/net/virtio_header.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/sysctl.hpp"

namespace zcrxlab::neighbours_packet_socket {
namespace {

const Needs kUnreadable{.where = Where::kDevice, .flow_rules = true, .queues = 1};
constexpr uint64_t kCoalescedBytes = 1 << 20;
constexpr uint32_t kTimestamps = 12;  // an option of TCP that is part of its maximum segment size

// What a packet socket shows of the frames of a connection.
struct Shown {
    uint32_t frames = 0;     // with payload
    uint64_t announced = 0;  // bytes of payload by their headers
    uint64_t visible = 0;    // bytes of payload that were shown
};

// Where things stand in a frame of TCP, in bytes from its begin.
struct TcpFrame {
    uint8_t family = 4;
    uint16_t destination = 0;  // port
    size_t transport = 0;      // the TCP header
    size_t payload = 0, end = 0;
};

// Of a frame whose first bytes are here, and that carries IP at `ip`. Nothing if it is of another
// protocol or its headers are not all here.
std::optional<TcpFrame> tcp_frame(std::span<const std::byte> frame, size_t ip) {
    iphdr v4{};
    ip6_hdr v6{};
    tcphdr tcp{};
    if (frame.size() < ip + sizeof v4) return {};
    std::memcpy(&v4, frame.data() + ip, sizeof v4);
    TcpFrame found;
    if (v4.version == 4 && v4.protocol == IPPROTO_TCP) {
        found.transport = ip + v4.ihl * size_t{4};
        found.end = ip + ntohs(v4.tot_len);
    } else if (v4.version == 6 && frame.size() >= ip + sizeof v6) {
        std::memcpy(&v6, frame.data() + ip, sizeof v6);
        if (v6.ip6_nxt != IPPROTO_TCP) return {};
        found.family = 6;
        found.transport = ip + sizeof v6;
        found.end = found.transport + ntohs(v6.ip6_plen);
    } else {
        return {};
    }
    if (frame.size() < found.transport + sizeof tcp) return {};
    std::memcpy(&tcp, frame.data() + found.transport, sizeof tcp);
    found.destination = ntohs(tcp.dest);
    found.payload = found.transport + tcp.doff * size_t{4};
    return found;
}

// Of the first bytes of a frame that carries IP at `ip`.
void look_at(std::span<const std::byte> frame, size_t ip, uint16_t port, Shown& shown) {
    const auto tcp = tcp_frame(frame, ip);
    if (!tcp || tcp->destination != port || tcp->end <= tcp->payload) return;
    ++shown.frames;
    shown.announced += tcp->end - tcp->payload;
    if (frame.size() > tcp->payload) shown.visible += frame.size() - tcp->payload;
}

Fd open_packet_socket(Scene& scene) {
    Fd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) scene.give_up(error_from_errno("make a packet socket").sentence);
    return socket;
}

void make_room(const Fd& socket) {
    const int room = 8 << 20;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
}

void bind_packet_socket(Scene& scene, const Fd& socket, uint16_t protocol = ETH_P_IP) {
    sockaddr_ll at{};
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(protocol);
    at.sll_ifindex = static_cast<int>(if_nametoindex(scene.endpoints().interface.c_str()));
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
        scene.give_up(error_from_errno("bind a packet socket").sentence);
}

// Takes what the socket has by now.
template <typename Taker>
void for_each_frame(Scene& scene, const Fd& socket, const Taker& take) {
    std::vector<std::byte> frame(70000);
    for (;;) {
        const ssize_t got = ::recv(socket.get(), frame.data(), frame.size(), 0);
        if (got < 0 && errno == EAGAIN) return;
        if (got < 0) scene.give_up(error_from_errno("receive from a packet socket").sentence);
        take(std::span<const std::byte>(frame).first(static_cast<size_t>(got)));
    }
}

// Receives a stream while a packet socket listens; the port of the stream.
uint16_t receive_beside(ReceivePath& rx) {
    const uint32_t stream = rx.connect({.bytes = 100000, .chunks = {10000}});
    sockaddr_in local{};
    socklen_t size = sizeof local;
    ::getsockname(rx.socket(stream), reinterpret_cast<sockaddr*>(&local), &size);
    rx.receive_all();
    return ntohs(local.sin_port);
}

void expect_no_payload(Scene& scene, const Shown& shown) {
    scene.note(std::to_string(shown.frames) + " frames with " + std::to_string(shown.announced) +
               " bytes of payload, of which " + std::to_string(shown.visible) + " were shown");
    EXPECT_GT(shown.announced, 0U) << "The packet socket saw nothing of the stream.";
    EXPECT_EQ(shown.visible, 0U) << "What was shown cannot be what was received.";
}

SCENARIO(neighbours, packet_socket,
         "a packet socket shows the headers of a stream and nothing that it cannot read",
         Terms(kUnreadable).claims({"neighbours.packet-socket"})) {
    const Fd socket = open_packet_socket(scene);
    make_room(socket);
    bind_packet_socket(scene, socket);
    Shown shown;
    ReceivePath rx(scene);
    const uint16_t port = receive_beside(rx);
    for_each_frame(scene, socket, [&](std::span<const std::byte> frame) {
        look_at(frame, ETH_HLEN, port, shown);
    });
    expect_no_payload(scene, shown);
}

// As tcpdump does it: the kernel writes frames into a ring that is mapped.
SCENARIO(neighbours, packet_ring,
         "a packet socket's ring has the headers of a stream and nothing that it cannot read",
         Terms(kUnreadable).claims({"neighbours.packet-socket"})) {
    constexpr unsigned kSlot = 16384, kSlots = 256;
    const Fd socket = open_packet_socket(scene);
    const int version = TPACKET_V2;
    tpacket_req ring{};
    ring.tp_block_size = kSlot;
    ring.tp_block_nr = kSlots;
    ring.tp_frame_size = kSlot;
    ring.tp_frame_nr = kSlots;
    if (::setsockopt(socket.get(), SOL_PACKET, PACKET_VERSION, &version, sizeof version) != 0 ||
        ::setsockopt(socket.get(), SOL_PACKET, PACKET_RX_RING, &ring, sizeof ring) != 0)
        scene.give_up(error_from_errno("make a packet ring").sentence);
    const Mapping slots = scene.must(
        Mapping::map(size_t{kSlot} * kSlots, PROT_READ | PROT_WRITE, MAP_SHARED, socket.get()));
    bind_packet_socket(scene, socket);
    Shown shown;
    ReceivePath rx(scene);
    const uint16_t port = receive_beside(rx);
    for (size_t i = 0; i < kSlots; ++i) {
        const std::byte* slot = slots.data() + i * kSlot;
        tpacket2_hdr header{};
        std::memcpy(&header, slot, sizeof header);
        if ((header.tp_status & TP_STATUS_USER) == 0) break;
        look_at(std::span(slot + header.tp_mac, header.tp_snaplen), ETH_HLEN, port, shown);
    }
    expect_no_payload(scene, shown);
}

// ---- coalesced packets

struct Coalesced {
    const char* name;
    uint8_t family;
    uint32_t payload;   // of a segment
    uint16_t protocol;  // ETH_P_*
    uint8_t kind;       // VirtioHeader::segmentation
};
constexpr Coalesced kCoalesced[] = {
    {"ipv4", 4, 1440, ETH_P_IP, VirtioHeader::kTcpV4},
    {"ipv6", 6, 1420, ETH_P_IPV6, VirtioHeader::kTcpV6},
};

// Who sends such a packet on, a bridge or a virtual machine, cuts it by what stands beside it.
SCENARIO_TABLE(
    neighbours, packet_socket_coalesced,
    "a packet socket is told of what segments a packet is that the NIC has joined",
    Terms(Needs{.where = Where::kDevice, .dma_log = true, .two_families = true, .queues = 1})
        .claims({"neighbours.coalesced"}),
    kCoalesced, row) {
    const Result<void> coalescing = scene.nic().set_feature("rx-gro-hw", true);
    if (!coalescing)
        GTEST_SKIP() << coalescing.error().sentence << "; type: zcrxlab run --nic bnxt";
    // The sender decides by the speed of the path how many segments it sends in one.
    set_sysctl(scene, scene.endpoints().peer_namespace, "ipv4/tcp_min_tso_segs", "64");
    const Fd socket = open_packet_socket(scene);
    const int on = 1;
    if (::setsockopt(socket.get(), SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0)
        scene.give_up(error_from_errno("ask a packet socket for segments").sentence);
    make_room(socket);
    bind_packet_socket(scene, socket, row.protocol);
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kCoalescedBytes,
                                        .family = row.family,
                                        .tcp = {.mss = row.payload + kTimestamps}});
    const uint16_t port = local_port(scene, rx.socket(stream));
    rx.receive_all();
    size_t most = 0;
    for (const auto& packet : split_packets_of(scene, rx.socket(stream)))
        most = std::max(most, packet.size());
    EXPECT_GT(most, 1U) << "The NIC joined no segments, so that this shows nothing.";

    uint64_t joined = 0, wrong = 0;
    std::string first_wrong;
    std::vector<std::byte> ethernet;
    for_each_frame(scene, socket, [&](std::span<const std::byte> shown) {
        VirtioHeader beside{};
        if (shown.size() < sizeof beside) return;
        std::memcpy(&beside, shown.data(), sizeof beside);
        const auto frame = shown.subspan(sizeof beside);
        const auto tcp = tcp_frame(frame, ETH_HLEN);
        if (!tcp || tcp->destination != port || tcp->end <= tcp->payload) return;
        const auto header = frame.first(ETH_HLEN);
        if (ethernet.empty()) ethernet.assign(header.begin(), header.end());
        const bool several = tcp->end - tcp->payload > row.payload;
        joined += several ? 1 : 0;
        const bool right =
            std::ranges::equal(header, ethernet) &&
            (!several || (beside.segmentation == row.kind && beside.segment_size == row.payload)) &&
            ((beside.flags & VirtioHeader::kNeedsChecksum) == 0 ||
             (beside.checksum_start == tcp->transport &&
              beside.checksum_offset == offsetof(tcphdr, check)));
        if (right) return;
        if (wrong++ == 0)
            first_wrong = std::to_string(tcp->end - tcp->payload) +
                          " bytes of payload: segments of " + std::to_string(beside.segment_size) +
                          " bytes, of kind " + std::to_string(beside.segmentation) +
                          ", checksum from byte " + std::to_string(beside.checksum_start) +
                          " on, where TCP begins at " + std::to_string(tcp->transport);
    });
    scene.note(std::to_string(joined) + " packets of several segments were shown");
    EXPECT_GT(joined, 0U);
    EXPECT_EQ(wrong, 0U) << "packets are not what the socket is told. The first has " << first_wrong
                         << ".";
}

}  // namespace
}  // namespace zcrxlab::neighbours_packet_socket
