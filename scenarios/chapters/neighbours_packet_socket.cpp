// Chapter neighbours: packet sockets beside a stream whose payload cannot be read.
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "harness/base/mapping.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::neighbours_packet_socket {
namespace {

const Needs kUnreadable{.where = Where::kDevice, .flow_rules = true, .queues = 1};

// What a packet socket shows of the frames of a connection.
struct Shown {
    uint32_t frames = 0;     // with payload
    uint64_t announced = 0;  // bytes of payload by their headers
    uint64_t visible = 0;    // bytes of payload that were shown
};

// Of the first `length` bytes of a frame that carries IPv4 at `ip`.
void look_at(std::span<const std::byte> frame, size_t ip, uint16_t port, Shown& shown) {
    iphdr network{};
    tcphdr transport{};
    if (frame.size() < ip + sizeof network) return;
    std::memcpy(&network, frame.data() + ip, sizeof network);
    const size_t tcp = ip + network.ihl * size_t{4};
    if (network.version != 4 || network.protocol != IPPROTO_TCP ||
        frame.size() < tcp + sizeof transport)
        return;
    std::memcpy(&transport, frame.data() + tcp, sizeof transport);
    if (ntohs(transport.dest) != port) return;
    const size_t payload = tcp + transport.doff * size_t{4};
    const size_t end = ip + ntohs(network.tot_len);
    if (end <= payload) return;
    ++shown.frames;
    shown.announced += end - payload;
    if (frame.size() > payload) shown.visible += frame.size() - payload;
}

Fd open_packet_socket(Scene& scene) {
    Fd socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) scene.give_up(error_from_errno("make a packet socket").sentence);
    return socket;
}

void bind_packet_socket(Scene& scene, const Fd& socket) {
    sockaddr_ll at{};
    at.sll_family = AF_PACKET;
    at.sll_protocol = htons(ETH_P_IP);
    at.sll_ifindex = static_cast<int>(if_nametoindex(scene.endpoints().interface.c_str()));
    if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0)
        scene.give_up(error_from_errno("bind a packet socket").sentence);
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
    const int room = 8 << 20;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    bind_packet_socket(scene, socket);
    Shown shown;
    ReceivePath rx(scene);
    const uint16_t port = receive_beside(rx);
    std::vector<std::byte> frame(70000);
    for (;;) {
        sockaddr_ll from{};
        socklen_t size = sizeof from;
        const ssize_t got = ::recvfrom(socket.get(), frame.data(), frame.size(), 0,
                                       reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 0) {
            if (errno == EAGAIN) break;
            scene.give_up(error_from_errno("receive from a packet socket").sentence);
        }
        look_at(std::span(frame).first(static_cast<size_t>(got)), ETH_HLEN, port, shown);
    }
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

}  // namespace
}  // namespace zcrxlab::neighbours_packet_socket
