// Chapter header_split: a coalesced packet that has begun, and does not end before its queue goes.
#include "scenarios/chapters/unfinished_packet.hpp"

#include <gtest/gtest.h>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

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
const Terms kTerms = Terms(Needs{.where = Where::kDevice,
                                 .dma_log = true,
                                 .faults = true,
                                 .emulated = true,
                                 .queues = 1})
                         .claims({"header_split.unfinished"});

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

}  // namespace
}  // namespace zcrxlab::header_split_unfinished
