// Chapter header_split: buffers of packets that a device completes empty, with an error, or behind
// those of another packet.
#include <gtest/gtest.h>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/statistics.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::header_split_completions {
namespace {

constexpr uint32_t kQueue = 1;
constexpr const char* kOneByOne =
    "This NIC has no completion for each buffer; type: zcrxlab run --nic gve";
constexpr const char* kEmpty = "rx_empty_buffers";
constexpr const char* kOvertaken = "rx_overtaken";
const Needs kCompletions{
    .where = Where::kDevice, .dma_log = true, .faults = true, .emulated = true, .queues = 1};
const FaultMatch kData{.protocol = FaultProtocol::kTcp, .payload = true};

// Whether the device does what only one with a completion for each buffer can do.
bool can(Scene& scene, const char* counter) {
    return device_counters(scene).contains(counter);
}

// Packets of three buffers, as they come: the device joins none.
void use_large_packets(Scene& scene) {
    scene.must(scene.nic().set_mtu(9000));
    scene.must(scene.nic().set_feature("rx-gro-hw", false));
}

SCENARIO(header_split, empty_buffer,
         "an empty buffer that ends a packet adds no byte, and is given back",
         Terms(kCompletions).claims({"header_split.empty-buffer"})) {
    if (!can(scene, kEmpty)) GTEST_SKIP() << kOneByOne;
    use_large_packets(scene);
    scene.inject({.what = FaultKind::kEmptyBuffer, .match = kData});
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    uint64_t sent = 0;
    for (const uint32_t size : {1, 4095, 4096, 4097, 8192}) {
        rx.peer(stream).send_more(size);
        rx.receive(sent += size);
    }
    EXPECT_GE(device_counters(scene)[kEmpty], 5U);
    // Many in a row, which the kernel joins: empty ones lie between full ones then.
    rx.peer(stream).send_more(1_MiB);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), sent + 1_MiB);
    EXPECT_GE(device_counters(scene)[kEmpty], 1_MiB / 9000);
    scene.must(scene.target().clear_faults());
    rx.measure_capacity();
}

struct Broken {
    const char* name;
    uint16_t buffer;
    bool coalesce;
};
constexpr Broken kBroken[] = {{"first", 0, false},
                              {"middle", 1, false},
                              {"last", 2, false},
                              {"where_packets_are_joined", 1, true}};

// It holds other bytes than the sender's, so that a packet that is not dropped is seen.
SCENARIO_TABLE(header_split, broken_buffer,
               "a packet of which a buffer failed is dropped whole, and all of its buffers are "
               "given back",
               Terms(kCompletions).claims({"header_split.broken-buffer"}), kBroken, row) {
    const char* const kErrors = "rx_buffer_errors";
    constexpr uint64_t kHits = 5;
    use_large_packets(scene);
    if (row.coalesce) {
        const Result<void> coalescing = scene.nic().set_feature("rx-gro-hw", true);
        if (!coalescing) GTEST_SKIP() << coalescing.error().sentence;
    }
    FaultMatch some = kData;
    some.skip = 3;
    some.every = 9;
    some.count = kHits;
    scene.inject({.what = FaultKind::kBufferError, .buffer = row.buffer, .match = some});
    const uint64_t before = device_counters(scene)[kErrors];
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    EXPECT_EQ(device_counters(scene)[kErrors], before + kHits);
    scene.must(scene.target().clear_faults());
    rx.measure_capacity();
}

struct Counted {
    const char* name;
    uint16_t buffer;
};
constexpr Counted kCounted[] = {{"first", 0}, {"last", 2}};

SCENARIO_TABLE(
    header_split, broken_buffer_counted,
    "a packet of which a buffer failed counts as such, and not as one for which there was "
    "no memory",
    Terms(kCompletions).claims({"header_split.broken-buffer"}), kCounted, row) {
    constexpr uint64_t kHits = 5;
    use_large_packets(scene);
    FaultMatch some = kData;
    some.skip = 3;
    some.every = 9;
    some.count = kHits;
    scene.inject({.what = FaultKind::kBufferError, .buffer = row.buffer, .match = some});
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    const uint64_t before = allocation_failures(scene, kQueue);
    Statistics statistics(scene);
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(fault_hits(scene), kHits);
    const uint64_t counted = allocation_failures(scene, kQueue) - before;
    EXPECT_EQ(counted, 0U) << "Of " << kHits << " broken packets " << counted
                           << " buffers count as if there had been no memory.";
    if (const auto broken = statistic_names(scene).broken; !broken.empty()) {
        EXPECT_EQ(statistics.of_queue(broken, kQueue), kHits) << broken;
    }
}

// A stream of which some packets have headers that failed, so many of them. A driver that cannot go
// on behind such a packet starts its NIC again.
void receive_with_broken_headers(Scene& scene, uint64_t packets) {
    const uint32_t losses = carrier_losses(scene);
    FaultMatch some = kData;
    some.skip = 20;
    some.every = 9;
    some.count = packets;
    scene.inject({.what = FaultKind::kHeaderError, .match = some});
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 6_MiB, .zero_copy_expected = false}, .queue = kQueue});
    Statistics statistics(scene);
    rx.connect({.bytes = 2_MiB});
    rx.receive_all();
    EXPECT_EQ(fault_hits(scene), packets);
    const bool started_again = carrier_losses(scene) != losses;
    if (const auto broken = statistic_names(scene).broken; !started_again && !broken.empty()) {
        EXPECT_EQ(statistics.of_queue(broken, kQueue), packets)
            << broken << ", and the NIC was not started again";
    }
    if (started_again)
        scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kStartedAgain});
    else
        scene.trace().add(CopiesExpected{rx.ifq().number(), 0});
    EXPECT_EQ(rx.receiver().total_bytes(), 2_MiB);
    scene.must(scene.target().clear_faults());
    rx.measure_capacity();
}

SCENARIO(
    header_split, broken_headers,
    "a packet whose headers failed is dropped whole, costs no buffer, and its driver counts it "
    "or starts the NIC again",
    Terms(kCompletions).claims({"header_split.broken-headers"})) {
    use_large_packets(scene);
    receive_with_broken_headers(scene, 5);
}

// A kernel may die of it (finding fifth-aggregate-is-another).
SCENARIO(
    alone, broken_headers_coalesced,
    "a coalesced packet whose headers failed is dropped whole, costs no buffer, and its driver "
    "counts it or starts the NIC again",
    Terms(kCompletions).claims({"header_split.broken-headers"})) {
    use_large_packets(scene);
    if (const auto on = scene.nic().set_feature("rx-gro-hw", true); !on)
        GTEST_SKIP() << on.error().sentence << "; type: zcrxlab run --nic bnxt";
    receive_with_broken_headers(scene, 1);
}

SCENARIO(header_split, overtaken,
         "packets of two flows that are completed in another order than their buffers were posted "
         "keep their own headers, many times round the ring",
         Terms(kCompletions).claims({"header_split.overtaken"})) {
    if (!can(scene, kEmpty)) GTEST_SKIP() << kOneByOne;
    constexpr uint64_t kRounds = 100;
    constexpr uint32_t kFirst = 700, kSecond = 300;  // bytes
    scene.must(scene.nic().set_ring_sizes(64, 0));
    ReceivePath rx(scene, {.ifq = {.area_size = 4_MiB}, .queue = kQueue});
    const uint32_t first = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const uint32_t second = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    FaultMatch of_first = kData;
    of_first.source_port = peer_port(scene, rx.socket(first));
    scene.inject({.what = FaultKind::kOvertaken, .match = of_first});
    const uint64_t before = device_counters(scene)[kOvertaken];
    for (uint64_t round = 1; round <= kRounds; ++round) {
        const uint64_t hits = fault_hits(scene);
        rx.peer(first).send_more(kFirst);
        scene.wait_for("The first packet did not come.", [&] { return fault_hits(scene) > hits; });
        rx.peer(second).send_more(kSecond);
        rx.receive(round * (kFirst + kSecond));
    }
    EXPECT_GE(device_counters(scene)[kOvertaken], before + kRounds);
    EXPECT_EQ(rx.receiver().state(first).bytes, kRounds * kFirst);
    EXPECT_EQ(rx.receiver().state(second).bytes, kRounds * kSecond);
    rx.abandon();
}

// Drivers that take buffers in the order in which they posted them start such a NIC again.
SCENARIO(header_split, overtaken_once,
         "two packets that are completed in the wrong order arrive, if need be when they are sent "
         "again, and cost no buffer",
         Terms(kCompletions).claims({"header_split.out-of-order"})) {
    if (can(scene, kEmpty)) GTEST_SKIP() << "Its driver takes packets in any order.";
    constexpr uint32_t kBytes = 700;
    const uint32_t losses = carrier_losses(scene);
    ReceivePath rx(scene, {.ifq = {.zero_copy_expected = false}, .queue = kQueue});
    const uint32_t first = rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
    const uint32_t second = rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
    rx.receive(2_MiB);
    FaultMatch of_first = kData;
    of_first.source_port = peer_port(scene, rx.socket(first));
    of_first.count = 1;
    const uint64_t before = device_counters(scene)[kOvertaken];
    scene.inject({.what = FaultKind::kOvertaken, .match = of_first});
    rx.peer(first).send_more(kBytes);
    scene.wait_for("The first packet did not come.", [&] { return fault_hits(scene) != 0; });
    rx.peer(second).send_more(kBytes);
    rx.receive(2_MiB + 2 * kBytes);
    EXPECT_EQ(device_counters(scene)[kOvertaken], before + 1);
    rx.peer(first).send_more(1_MiB);
    rx.peer(second).send_more(1_MiB);
    rx.receive(4_MiB + 2 * kBytes);
    EXPECT_EQ(rx.receiver().state(first).bytes, 2_MiB + kBytes);
    EXPECT_EQ(rx.receiver().state(second).bytes, 2_MiB + kBytes);
    if (carrier_losses(scene) == losses)
        scene.trace().add(CopiesExpected{rx.ifq().number(), 0});
    else
        scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kStartedAgain});
    rx.abandon();
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::header_split_completions
