// Chapters neighbours and alone: packets that a filter of the NIC sends another way, too, or
// instead.
#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/net/namespace.hpp"
#include "scenarios/chapters/shown_payload.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/mirror.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/vlan.hpp"

namespace zcrxlab::neighbours_mirrored {
namespace {

constexpr uint64_t kSent = 300000;  // bytes
constexpr uint16_t kVlan = 9;
const char* const kVlanHere = "zcrxlab-mirror";

// A packet socket at an interface, which takes whatever goes in and out.
class Listener {
  public:
    Listener(Scene& scene, const std::string& space, const std::string& interface) : scene_(scene) {
        socket_ = scene.must(in_namespace_get<Fd>(space, [&]() -> Result<Fd> {
            Fd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            if (!socket) return error_from_errno("make a packet socket");
            const int room = 32 << 20;
            ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
            sockaddr_ll at{};
            at.sll_family = AF_PACKET;
            at.sll_protocol = htons(ETH_P_ALL);
            at.sll_ifindex = static_cast<int>(if_nametoindex(interface.c_str()));
            packet_mreq all{};
            all.mr_ifindex = at.sll_ifindex;
            all.mr_type = PACKET_MR_PROMISC;
            if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
                ::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) !=
                    0)
                return error_from_errno("bind a packet socket");
            return socket;
        }));
    }
    // Packets to the port with payload that it has seen since, in order.
    struct Seen {
        bool outgoing;
        ShownPayload payload;
    };
    std::vector<Seen> seen(uint16_t port) {
        std::vector<Seen> found;
        std::vector<std::byte> packet(70000);
        for (;;) {
            sockaddr_ll from{};
            socklen_t size = sizeof from;
            const ssize_t got = ::recvfrom(socket_.get(), packet.data(), packet.size(), 0,
                                           reinterpret_cast<sockaddr*>(&from), &size);
            if (got < 0) break;
            auto payload = shown_payload(std::span(packet).first(static_cast<size_t>(got)), port);
            if (payload)
                found.push_back({from.sll_pkttype == PACKET_OUTGOING, std::move(*payload)});
        }
        if (errno != EAGAIN) scene_.give_up(error_from_errno("look at packets").sentence);
        return found;
    }

  private:
    Scene& scene_;
    Fd socket_;
};

uint64_t statistic(const std::string& interface, const std::string& name) {
    uint64_t value = 0;
    std::ifstream("/sys/class/net/" + interface + "/statistics/" + name) >> value;
    return value;
}

struct Way {
    const char* name;
    bool over_vlan;  // on top of the NIC; else the NIC itself
    bool redirect = false;
    bool in = false;
};
constexpr Way kWays[] = {
    {"mirrored_out", true},
    {"mirrored_in", true, false, true},
    {"redirected_out", true, true},
    {"redirected_in", true, true, true},
};
constexpr Way kWaysBack[] = {{"mirrored", false}, {"redirected", false, true}};
const Needs kSteered{.where = Where::kDevice, .flow_rules = true, .emulated = true, .queues = 1};

// Who sends what cannot be read drops it, or has a driver that can send it. What does not come to
// the socket is sent again, once it is let pass.
void send_another_way(Scene& scene, const Way& row) {
    const Endpoints& ends = scene.endpoints();
    scene.prepare_nic();
    const std::string target = row.over_vlan ? kVlanHere : ends.interface;
    if (row.over_vlan && !add_vlan(scene, {"", ends.interface, kVlanHere, kVlan, "198.51.100.1"}))
        GTEST_SKIP() << "The kernel has no VLANs (module 8021q).";
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const uint16_t port = local_port(scene, rx.socket(stream));
    Listener at_target(scene, "", target), at_peer(scene, ends.peer_namespace, ends.peer_interface);
    std::unique_ptr<Mirror> mirror =
        Mirror::add(scene, {.target = target, .redirect = row.redirect, .in = row.in});
    if (!mirror)
        GTEST_SKIP() << "The kernel sends no packets another way (modules sch_ingress, "
                        "cls_matchall, act_mirred).";

    const std::string counter = "rx" + std::to_string(rx.queue()) + "_packets";
    const uint64_t before = device_counters(scene)[counter];
    const uint64_t dropped_before = statistic(target, "tx_dropped");
    const auto dropped = [&] { return statistic(target, "tx_dropped") - dropped_before; };
    rx.peer(stream).send_more(kSent, {10000});
    std::vector<Listener::Seen> seen;
    const auto look = [&] {
        for (Listener::Seen& packet : at_target.seen(port)) seen.push_back(std::move(packet));
        return dropped() > 0 || !seen.empty();
    };
    scene.wait_for("No packet went the other way.", look);
    if (row.redirect && !row.in) mirror.reset();
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_GT(device_counters(scene)[counter], before) << "They did not come to the bound queue.";
    mirror.reset();
    look();

    // The peer's own packets tell where the stream begins.
    std::optional<uint32_t> first;
    std::vector<ShownPayload> back;
    for (Listener::Seen& packet : at_peer.seen(port)) {
        if (!packet.outgoing) {
            back.push_back(std::move(packet.payload));
        } else if (!first) {
            first = packet.payload.sequence;
        }
    }
    ASSERT_TRUE(first.has_value()) << "The peer sent nothing.";
    ShownBytes here, there;
    for (const Listener::Seen& packet : seen) here.add(packet.payload, rx.seed(stream), *first);
    for (const ShownPayload& payload : back) there.add(payload, rx.seed(stream), *first);
    scene.note(std::to_string(dropped()) + " packets were dropped on the other way; here: " +
               here.text() + "; back at the peer: " + there.text());
    EXPECT_EQ(here.wrong, 0U) << "a packet socket was shown bytes that were not in the packets.";
    EXPECT_EQ(there.wrong, 0U) << "bytes were sent that were not in the packets.";
    if (row.in) {
        EXPECT_GT(here.announced, 0U) << "Nothing came in on the other way.";
    }
}

SCENARIO_TABLE(neighbours, mirrored,
               "packets that a filter sends to a VLAN's interface show nobody bytes that were not "
               "in them, and cost their stream no byte",
               Terms(kSteered).within(std::chrono::seconds(20)).claims({"neighbours.mirrored"}),
               kWays, row) {
    send_another_way(scene, row);
}

// A driver whose transmit queue gets stuck is in the way of all that comes after.
SCENARIO_TABLE(alone, sent_back,
               "packets that a filter sends out of the NIC that they came to have the bytes that "
               "were in them, and cost their stream no byte",
               Terms(kSteered).within(std::chrono::seconds(20)).claims({"neighbours.mirrored"}),
               kWaysBack, row) {
    send_another_way(scene, row);
}

}  // namespace
}  // namespace zcrxlab::neighbours_mirrored
