// Chapter neighbours: packet sockets beside a stream whose payload cannot be read.
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

#include "harness/base/mapping.hpp"
#include "harness/uapi/virtio_header.hpp"
#include "scenarios/chapters/shown_payload.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/coalescing.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

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

// Of the first bytes of a frame.
void look_at(std::span<const std::byte> frame, uint16_t port, Shown& shown) {
    if (frame.size() < ETH_HLEN) return;
    const auto packet = frame.subspan(ETH_HLEN);
    const auto tcp = tcp_packet(packet);
    if (!tcp || tcp->destination != port) return;
    ++shown.frames;
    shown.announced += tcp->end - tcp->payload;
    if (packet.size() > tcp->payload) shown.visible += packet.size() - tcp->payload;
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
uint16_t receive_beside(Scene& scene, ReceivePath& rx) {
    const uint32_t stream = rx.connect({.bytes = 100000, .chunks = {10000}});
    const uint16_t port = local_port(scene, rx.socket(stream));
    rx.receive_all();
    return port;
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
    const uint16_t port = receive_beside(scene, rx);
    for_each_frame(scene, socket,
                   [&](std::span<const std::byte> frame) { look_at(frame, port, shown); });
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
    const uint16_t port = receive_beside(scene, rx);
    for (size_t i = 0; i < kSlots; ++i) {
        const std::byte* slot = slots.data() + i * kSlot;
        tpacket2_hdr header{};
        std::memcpy(&header, slot, sizeof header);
        if ((header.tp_status & TP_STATUS_USER) == 0) break;
        look_at(std::span(slot + header.tp_mac, header.tp_snaplen), port, shown);
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

// What of the header beside a packet is not so, in words; nothing if all of it is.
std::string what_is_wrong(const VirtioHeader& beside, const TcpPacket& tcp, const Coalesced& row) {
    const size_t payload = tcp.end - tcp.payload;
    if (payload > row.payload &&
        (beside.segmentation != row.kind || beside.segment_size != row.payload))
        return std::to_string(payload) + " bytes of payload are said to be segments of " +
               std::to_string(beside.segment_size) + " bytes, of kind " +
               std::to_string(beside.segmentation);
    if ((beside.flags & VirtioHeader::kNeedsChecksum) != 0 &&
        (beside.checksum_start != ETH_HLEN + tcp.transport ||
         beside.checksum_offset != offsetof(tcphdr, check)))
        return "the checksum is said to begin at byte " + std::to_string(beside.checksum_start) +
               ", and TCP does at " + std::to_string(ETH_HLEN + tcp.transport);
    return {};
}

// The same of one that is not to be cut again.
std::string what_is_cut(const VirtioHeader& beside, const TcpPacket& tcp, const Coalesced&) {
    if (beside.segmentation == VirtioHeader::kNone && beside.segment_size == 0) return {};
    return std::to_string(tcp.end - tcp.payload) + " bytes of payload are said to be segments of " +
           std::to_string(beside.segment_size) + " bytes, of kind " +
           std::to_string(beside.segmentation);
}

// Receives a stream of segments that the NIC joins, and has `judge` look at each packet of it and
// at what a packet socket is told beside it: in words what is not right, nothing if all of it is.
template <typename Judge>
void look_at_joined(Scene& scene, const Coalesced& row, const Judge& judge) {
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
    EXPECT_GT(most_buffers_of_packet(scene, rx.socket(stream)), 1U)
        << "The NIC joined no segments, so that this shows nothing.";

    uint64_t joined = 0;
    std::string wrong;  // of the first that is not right
    for_each_frame(scene, socket, [&](std::span<const std::byte> shown) {
        VirtioHeader beside{};
        if (shown.size() < sizeof beside + ETH_HLEN) return;
        std::memcpy(&beside, shown.data(), sizeof beside);
        const auto tcp = tcp_packet(shown.subspan(sizeof beside + ETH_HLEN));
        if (!tcp || tcp->destination != port) return;
        joined += tcp->end - tcp->payload > row.payload ? 1 : 0;
        if (wrong.empty()) wrong = judge(beside, *tcp, row);
    });
    scene.note(std::to_string(joined) + " packets of several segments were shown");
    EXPECT_GT(joined, 0U);
    EXPECT_EQ(wrong, "");
}

// Who sends such a packet on, a bridge or a virtual machine, cuts it by what stands beside it.
SCENARIO_TABLE(
    neighbours, packet_socket_coalesced,
    "a packet socket is told of what segments a packet is that the NIC has joined",
    Terms(Needs{.where = Where::kDevice, .dma_log = true, .two_families = true, .queues = 1})
        .claims({"neighbours.coalesced"}),
    kCoalesced, row) {
    if (const auto coalescing = coalesce(scene); !coalescing)
        GTEST_SKIP() << coalescing.error().sentence << "; type: zcrxlab run --nic bnxt";
    look_at_joined(scene, row, what_is_wrong);
}

SCENARIO_TABLE(neighbours, packet_socket_joined_for_itself,
               "a packet socket is told of no segments where the NIC joins them for this machine "
               "alone (LRO)",
               Terms(Needs{.where = Where::kDevice,
                           .dma_log = true,
                           .emulated = true,
                           .two_families = true,
                           .queues = 1})
                   .claims({"neighbours.joined-for-itself"}),
               kCoalesced, row) {
    if (const auto joining = join_for_itself(scene); !joining)
        GTEST_SKIP() << joining.error().sentence << "; type: zcrxlab run --nic bnxt";
    look_at_joined(scene, row, what_is_cut);
}

}  // namespace
}  // namespace zcrxlab::neighbours_packet_socket
