// Chapter alone: packets on a bound queue that are for another host, to which this one passes them
// on, or of which it tells the sender why it does not.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/net/namespace.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/sysctl.hpp"
#include "scenarios/framework/surroundings/vlan.hpp"

namespace zcrxlab::alone_forwarding {
namespace {

constexpr uint16_t kPort = 7777;
constexpr size_t kPayload = 1000;  // bytes
constexpr uint16_t kVlan = 9;
const char* const kHere = "zcrxlab-out";
const char* const kThere = "zcrxlab-in";
const char* const kAddressThere = "198.51.100.2";

// What the other end sees of the packets, and of the errors about them.
class OtherEnd {
  public:
    explicit OtherEnd(Scene& scene) : scene_(scene) {
        socket_ =
            scene.must(in_namespace_get<Fd>(scene.endpoints().peer_namespace, [&]() -> Result<Fd> {
                Fd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                   htons(ETH_P_IP)));
                if (!socket) return error_from_errno("make a packet socket");
                return socket;
            }));
    }
    // Pieces of payload that were seen since: where they begin in it, and their bytes. Those that
    // an error quotes, too.
    struct Piece {
        size_t begin;
        std::vector<std::byte> bytes;
        bool quoted;
    };
    std::vector<Piece> pieces() {
        std::vector<Piece> found;
        std::vector<std::byte> packet(2000);
        for (;;) {
            sockaddr_ll from{};
            socklen_t size = sizeof from;
            const ssize_t got = ::recvfrom(socket_.get(), packet.data(), packet.size(), 0,
                                           reinterpret_cast<sockaddr*>(&from), &size);
            if (got < 0) break;
            if (from.sll_pkttype == PACKET_HOST)
                look_at(std::span(packet).first(static_cast<size_t>(got)), false, found);
        }
        if (errno != EAGAIN) scene_.give_up(error_from_errno("look at packets").sentence);
        return found;
    }

  private:
    void look_at(std::span<const std::byte> packet, bool quoted, std::vector<Piece>& found) {
        iphdr ip{};
        if (packet.size() < sizeof ip) return;
        std::memcpy(&ip, packet.data(), sizeof ip);
        if (!quoted) packet = packet.first(std::min<size_t>(packet.size(), ntohs(ip.tot_len)));
        const size_t header = ip.ihl * size_t{4};
        if (packet.size() < header) return;
        packet = packet.subspan(header);
        if (ip.protocol == IPPROTO_ICMP && !quoted && packet.size() > sizeof(icmphdr))
            return look_at(packet.subspan(sizeof(icmphdr)), true, found);
        if (ip.protocol != IPPROTO_TCP) return;
        size_t begin = (ntohs(ip.frag_off) & IP_OFFMASK) * size_t{8};
        if (begin == 0) {
            tcphdr tcp{};
            if (packet.size() < sizeof tcp) return;
            std::memcpy(&tcp, packet.data(), sizeof tcp);
            if (ntohs(tcp.th_dport) != kPort) return;
            packet = packet.subspan(sizeof tcp);
        } else {
            begin -= sizeof(tcphdr);
        }
        found.push_back({begin, {packet.begin(), packet.end()}, quoted});
    }

    Scene& scene_;
    Fd socket_;
};

struct Way {
    const char* name;
    uint32_t mtu;  // bytes, on the way on
    uint8_t ttl;
    bool dont_fragment;
    bool refused;  // with an ICMP error
};
constexpr Way kWays[] = {
    {"whole", 1500, 64, true, false},
    {"in_pieces", 600, 64, false, false},
    {"too_long", 600, 64, true, true},
    {"expired", 1500, 1, true, true},
};

SCENARIO_TABLE(
    alone, forwarded,
    "a packet for another host that the kernel cannot read goes on as it is, or does "
    "not; and nobody is shown bytes that were not in it",
    Terms(Needs{.where = Where::kDevice, .flow_rules = true, .emulated = true, .queues = 1})
        .within(std::chrono::seconds(20)),
    kWays, row) {
    const Endpoints& ends = scene.endpoints();
    scene.prepare_nic();
    // The way on is a VLAN of the same NIC.
    if (!add_vlan(scene, {"", ends.interface, kHere, kVlan, "198.51.100.1", row.mtu}) ||
        !add_vlan(scene, {ends.peer_namespace, ends.peer_interface, kThere, kVlan, kAddressThere}))
        GTEST_SKIP() << "The kernel has no VLANs (module 8021q).";
    set_sysctl(scene, "", "ipv4/ip_forward", "1");
    ReceivePath rx(scene);
    scene.steer({.destination_port = kPort, .queue = rx.queue()});
    OtherEnd other(scene);

    std::vector<std::byte> payload(kPayload);
    Pattern(scene.seed()).fill(payload, 0);
    PacketHeaders headers;
    headers.ip.ttl = row.ttl;
    headers.ip.frag_off = htons(row.dont_fragment ? IP_DF : 0);
    ::inet_pton(AF_INET, ends.peer_v4.c_str(), &headers.ip.saddr);
    ::inet_pton(AF_INET, kAddressThere, &headers.ip.daddr);
    headers.tcp.th_sport = htons(kPort);
    headers.tcp.th_dport = htons(kPort);
    const std::string counter = "rx" + std::to_string(rx.queue()) + "_packets";
    const uint64_t before = device_counters(scene)[counter];
    send_frame(scene, tcp_packet(headers, payload));
    scene.wait_for("The packet did not come to the queue.",
                   [&] { return device_counters(scene)[counter] > before; });

    // It comes through the same queue behind it.
    rx.connect({.bytes = 10000});
    rx.receive_all();

    std::vector<OtherEnd::Piece> pieces = other.pieces();
    if (row.refused) {
        scene.wait_for("The sender was not told why the packet does not go on.", [&] {
            for (OtherEnd::Piece& piece : other.pieces()) pieces.push_back(std::move(piece));
            return std::ranges::any_of(pieces, &OtherEnd::Piece::quoted);
        });
    }
    size_t shown = 0, right = 0, zeros = 0;
    for (const OtherEnd::Piece& piece : pieces) {
        scene.note(std::to_string(piece.bytes.size()) + " bytes from " +
                   std::to_string(piece.begin) + " on " +
                   (piece.quoted ? "were quoted" : "were passed on"));
        for (size_t i = 0; i < piece.bytes.size(); ++i) {
            ++shown;
            const size_t at = piece.begin + i;
            if (at < payload.size() && piece.bytes[i] == payload[at]) {
                ++right;
            } else if (piece.bytes[i] == std::byte(0)) {
                ++zeros;
            }
        }
    }
    scene.note(std::to_string(shown) + " bytes were shown: " + std::to_string(right) + " right, " +
               std::to_string(zeros) + " zeros");
    EXPECT_EQ(shown - right - zeros, 0U) << "bytes were shown that were not in the packet.";
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::alone_forwarding
