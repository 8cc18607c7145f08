// Chapter header_split: a coalesced packet that has begun, and does not end before its queue goes,
// or before another one has begun.
#include "scenarios/chapters/unfinished_packet.hpp"

#include <gtest/gtest.h>

#include <string>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab {

namespace {
constexpr const char* kUnfinished = "rx_unfinished";
}  // namespace

bool coalesce_in_steps(Scene& scene) {
    if (!device_counters(scene).contains(kUnfinished)) return false;
    scene.must(scene.nic().set_mtu(9000));
    scene.must(scene.nic().set_feature("rx-gro-hw", true));
    return true;
}

// It would end with the next one, so that all others are lost.
void leave_unfinished(Scene& scene, ReceivePath& rx, uint32_t stream) {
    const FaultMatch data{.protocol = FaultProtocol::kTcp, .payload = true};
    FaultMatch first = data;
    first.count = 1;
    // On a busy machine the first one may be the last of the stream so far, sent once more.
    const uint64_t before = device_counters(scene)[kUnfinished];
    scene.inject({.what = FaultKind::kStuckPacket, .match = first});
    scene.inject({.what = FaultKind::kDrop, .match = data});
    rx.peer(stream).send_more(kUnfinishedPacket);
    scene.wait_for("No packet is left unfinished.",
                   [&] { return device_counters(scene)[kUnfinished] > before; });
}

}  // namespace zcrxlab

namespace zcrxlab::header_split_unfinished {
namespace {

constexpr uint32_t kQueue = 1;
const Needs kNeeds{
    .where = Where::kDevice, .dma_log = true, .faults = true, .emulated = true, .queues = 1};
const Terms kTerms = Terms(kNeeds).claims({"header_split.unfinished"});

SCENARIO(header_split, unfinished_queue,
         "a queue that is given back amid a coalesced packet gives back the buffers of that part, "
         "and is as good as new",
         kTerms) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    {
        ReceivePath rx(scene, {.queue = kQueue, .uncounted = Uncounted::kNothingArrives});
        const uint32_t stream = rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
        rx.receive(1_MiB);
        leave_unfinished(scene, rx, stream);
        rx.abandon();
        rx.close_ring();
    }
    scene.wait_for_release(kQueue);
    scene.must(scene.target().clear_faults());
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    rx.measure_capacity();
}

SCENARIO(header_split, unfinished_restart,
         "a coalesced packet that a restart of its queue leaves unfinished is sent again, and its "
         "buffers are given back",
         kTerms) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    const uint32_t entries = scene.must(scene.nic().ethtool().rings()).rx.value_or(0);
    ReceivePath rx(scene,
                   {.receiver = {.returns = ReturnPolicy::kHold, .hold = 200}, .queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
    rx.receive(1_MiB);
    leave_unfinished(scene, rx, stream);
    scene.read_dma_log();
    scene.must(scene.nic().set_ring_sizes(entries * 2, 0));
    counts_start_over(scene, rx, {stream});
    scene.must(scene.target().clear_faults());
    rx.peer(stream).send_more(2_MiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 3_MiB + kUnfinishedPacket);
    rx.measure_capacity();
}

SCENARIO(header_split, unfinished_replaced,
         "the buffer that a coalesced packet begins with is replaced before the packet ends",
         kTerms) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    const std::string posted = "rx" + std::to_string(kQueue) + "_receive_posted";
    ReceivePath rx(scene, {.queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
    rx.receive(1_MiB);
    const uint64_t before = device_counters(scene)[posted];
    EXPECT_GT(before, 0U);
    leave_unfinished(scene, rx, stream);
    uint64_t now = 0;
    scene.becomes([&] { return (now = device_counters(scene)[posted]) >= before; },
                  scene.time_left() / 4);
    EXPECT_GE(now, before) << "buffers for headers are posted, and there were " << before;
    scene.must(scene.target().clear_faults());
    rx.peer(stream).send_more(1_MiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    rx.measure_capacity();
}

SCENARIO(
    header_split, interleaved,
    "coalesced packets of two flows, of which one begins before the other ends, keep their own "
    "headers and buffers, many times round the ring",
    Terms(kNeeds).claims({"header_split.interleaved"})) {
    if (!coalesce_in_steps(scene)) GTEST_SKIP() << kToldAtOnce;
    constexpr uint64_t kRounds = 100;
    constexpr uint32_t kFirst = 7000, kSecond = 3000;  // bytes
    scene.must(scene.nic().set_ring_sizes(64, 0));
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    const uint32_t first = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const uint32_t second = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    FaultMatch of_first{.protocol = FaultProtocol::kTcp, .payload = true};
    of_first.source_port = peer_port(scene, rx.socket(first));
    scene.inject({.what = FaultKind::kStuckPacket, .match = of_first});
    const uint64_t before = device_counters(scene)[kUnfinished];
    const uint32_t losses = carrier_losses(scene);
    for (uint64_t round = 1; round <= kRounds; ++round) {
        const uint64_t hits = fault_hits(scene);
        rx.peer(first).send_more(kFirst);
        scene.wait_for("The first packet did not come.", [&] { return fault_hits(scene) > hits; });
        rx.peer(second).send_more(kSecond);
        rx.receive(round * (kFirst + kSecond));
    }
    EXPECT_GE(device_counters(scene)[kUnfinished], before + kRounds);
    EXPECT_EQ(rx.receiver().state(first).bytes, kRounds * kFirst);
    EXPECT_EQ(rx.receiver().state(second).bytes, kRounds * kSecond);
    EXPECT_EQ(carrier_losses(scene), losses) << "The driver started its NIC again.";
    // TCP sends what was dropped again, and now and then what only took long.
    EXPECT_LT(split_packets_of(scene, rx.socket(first)).size(), 2 * kRounds * 5 / 4)
        << "packets of both streams came, and " << 2 * kRounds << " are enough.";
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::header_split_unfinished
