// Chapter neighbours: packets that wait for the verdict of a program before they go on to their
// socket.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "harness/netfilter/packet_queue.hpp"
#include "scenarios/chapters/shown_payload.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::neighbours_queued {
namespace {

constexpr uint64_t kSent = 40000;  // bytes, for which an unread socket has room

// What the program was shown of a stream, whose first packet came first.
ShownBytes shown_of(PacketQueue& queue, uint64_t seed, uint16_t port) {
    ShownBytes shown;
    uint32_t first = 0;
    for (const QueuedPacket& packet : queue.packets()) {
        const auto payload = shown_payload(packet.bytes, port);
        if (!payload) continue;
        if (shown.packets == 0) first = payload->sequence;
        shown.add(*payload, seed, first);
    }
    return shown;
}

struct Program {
    const char* name;
    bool payload;            // it asks for it
    bool takes_coalesced;    // as they are
    bool coalesces = false;  // the stack, before they come to it
};
constexpr Program kPrograms[] = {
    {"told_of", false, false},
    {"shown_whole", true, false},
    {"told_of_coalesced", false, true, true},
    {"shown_coalesced", true, true, true},
    // For a program that does not take them so, the kernel cuts coalesced packets.
    {"told_of_cut", false, false, true},
    {"shown_cut", true, false, true},
};

SCENARIO_TABLE(
    neighbours, queued,
    "packets that wait for a program's verdict go on as they were, and the program is "
    "shown nothing that was not in them",
    Terms(Needs{.where = Where::kDevice, .flow_rules = true, .emulated = true, .queues = 1})
        .within(std::chrono::seconds(30))
        .claims({"neighbours.queued"}),
    kPrograms, row) {
    scene.must(scene.nic().set_feature("rx-gro", row.coalesces));
    if (!row.coalesces) scene.must(scene.nic().set_feature("rx-gro-hw", false));
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const uint16_t port = local_port(scene, rx.socket(stream));
    auto opened =
        PacketQueue::open({.port = port, .payload = row.payload, .coalesced = row.takes_coalesced});
    if (!opened && opened.error().code == EOPNOTSUPP) GTEST_SKIP() << opened.error().sentence;
    std::unique_ptr<PacketQueue> queue = scene.must(std::move(opened));

    const std::string counter = "rx" + std::to_string(rx.queue()) + "_packets";
    const uint64_t before = device_counters(scene)[counter];
    rx.peer(stream).send_more(kSent, {10000});
    rx.peer(stream).end(PeerEnd::kFin);
    // Nobody reads yet: the whole stream has room in the socket.
    scene.wait_for("The program was not told of the whole stream.", [&] {
        return queue->error() || shown_of(*queue, rx.seed(stream), port).announced >= kSent ||
               (!row.payload && !queue->packets().empty());
    });
    EXPECT_GT(device_counters(scene)[counter], before) << "They did not come to the bound queue.";
    const auto failed = queue->error();
    scene.returned("a program hears of queued packets", 0, failed ? failed->code : 0);
    if (failed) {
        rx.abandon();
    } else {
        rx.receive_all();
    }
    const std::vector<QueuedPacket> packets = queue->packets();
    const ShownBytes shown = shown_of(*queue, rx.seed(stream), port);
    queue.reset();

    const auto coalesced = std::ranges::count_if(packets, &QueuedPacket::coalesced);
    scene.note(std::to_string(packets.size()) + " packets were queued, " +
               std::to_string(coalesced) + " of them coalesced; " + shown.text());
    EXPECT_EQ(shown.wrong, 0U) << "bytes were shown that were not in the packets.";
    if (failed) return;
    EXPECT_GT(packets.size(), 0U) << "No packet waited for a verdict.";
    EXPECT_EQ(coalesced > 0, row.takes_coalesced);
}

}  // namespace
}  // namespace zcrxlab::neighbours_queued
