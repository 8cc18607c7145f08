// Chapter copy_fallback: what the kernel copies, how exactly, and what it says about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/local_stream.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/interface_down.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::copy_fallback {
namespace {

constexpr uint64_t kMiB = 1U << 20;
constexpr uint32_t kQueue = 1;
const Needs kFaults{.where = Where::kDevice, .dma_log = true, .faults = true, .queues = 1};
const Needs kFaultsAndFlush{.where = Where::kDevice,
                            .dma_log = true,
                            .faults = true,
                            .queues = 1,
                            .features = {Feature::kFlushRq}};
const Needs kLogged{.where = Where::kDevice, .dma_log = true, .queues = 1};

// I4 judges: exactly so many bytes of what the rx delivers, and no others.
void expect_copies(Scene& scene, ReceivePath& rx, uint64_t bytes) {
    scene.trace().add(CopiesExpected{rx.ifq().number(), bytes});
}

// For the trace, as an action: no event says that no rule steers a connection.
void tell_unsteered(Scene& scene, ReceivePath& rx, uint32_t stream) {
    scene.done("connect s" + std::to_string(stream) + " ifq=q" + std::to_string(rx.ifq().number()) +
               " route=any");
}

// Which of the packets of a stream.
struct Which {
    uint64_t skip = 0;
    uint64_t every = 1;
    uint64_t count = FaultMatch::kNoLimit;
};

FaultRule with_data(FaultRule rule, const Which& which = {}) {
    rule.match = {.protocol = FaultProtocol::kTcp,
                  .payload = true,
                  .skip = which.skip,
                  .every = which.every,
                  .count = which.count};
    return rule;
}

// ---- what is copied

struct Stream {
    const char* name;
    uint64_t bytes;
    std::vector<uint32_t> chunks;
    uint8_t family = 4;
};
const Stream kStreams[] = {{"1_byte", 1, {1}},
                           {"1_page_and_1", 4097, {4097}},
                           {"odd_writes", 300007, {1, 4095, 77, 8193}},
                           {"ipv6", kMiB + 3, {65536}, 6}};

SCENARIO_TABLE(copy_fallback, other_queue,
               "data that comes through another queue of the NIC is copied and right",
               Terms(kLogged).claims({"copy_fallback.other-queue"}), kStreams, row) {
    ReceivePath rx(scene, {.steer = false});
    const uint32_t stream =
        rx.connect({.bytes = row.bytes, .chunks = row.chunks, .family = row.family});
    tell_unsteered(scene, rx, stream);
    rx.receive_all();
    const Placement placed = placement_of(scene, rx.socket(stream), row.bytes);
    EXPECT_EQ(placed.split_on(0), row.bytes) << "The device put it elsewhere.";
    expect_copies(scene, rx, row.bytes);
}

SCENARIO(copy_fallback, now_and_then,
         "of a stream whose packets come through two queues exactly those of the other are copied",
         Terms(kFaults).claims({"copy_fallback.other-queue"})) {
    scene.inject(with_data({.what = FaultKind::kWrongQueue, .to = 0}, {.every = 7, .count = 100}));
    ReceivePath rx(scene, {.ifq = {.area_size = 6 * kMiB}, .queue = kQueue});
    // A copy takes a free buffer, and what waits behind it keeps its own. If a reader is slow, that
    // must not be all of them: nothing would be left for the copy, and none would come back.
    const uint32_t stream =
        rx.connect({.bytes = 2 * kMiB, .tcp = {.mss = 1400, .receive_buffer = 256 << 10}});
    rx.receive_all();
    const Placement placed = placement_of(scene, rx.socket(stream), 2 * kMiB);
    EXPECT_GT(placed.split_on(0), 50U * 1000);
    EXPECT_GT(placed.split_on(kQueue), kMiB);
    scene.trace().add(placed.copies_for(rx.ifq().number(), kQueue));
    rx.measure_capacity();
}

SCENARIO_TABLE(copy_fallback, loopback, "data that never was at a NIC is copied and right",
               Terms(Needs{}).claims({"copy_fallback.loopback"}), kStreams, row) {
    ReceivePath rx(scene);
    const LocalStream local(scene, rx,
                            {.bytes = row.bytes, .chunks = row.chunks, .family = row.family});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(local.stream()).bytes, row.bytes);
    expect_copies(scene, rx, row.bytes);
}

SCENARIO(copy_fallback, small_cq,
         "a CQ that is full while the kernel copies costs neither a byte nor a buffer",
         Terms(Needs{}).claims({"copy_fallback.loopback", "cqe32.final-cq-full"})) {
    constexpr uint64_t kBytes = 300000;
    ReceivePath rx(scene, {.ring = {.sq_entries = 1, .cq_entries = 8},
                           .ifq = {.zero_copy_expected = false},
                           .receiver = {.small_cq = true}});
    const LocalStream local(scene, rx, {.bytes = kBytes});
    rx.receive_all();
    EXPECT_GT(rx.receiver().state(local.stream()).no_slots, 0U)
        << "The CQ was full, and no request ended.";
    // Without a device, all that is received to count buffers is copied, too.
    if (scene.has_device()) expect_copies(scene, rx, kBytes);
    rx.measure_capacity();
}

SCENARIO(copy_fallback, side_by_side,
         "copies for one connection do not make another one copy, and both get their own bytes",
         Terms(kLogged).claims({"copy_fallback.loopback"})) {
    ReceivePath rx(scene,
                   {.receiver = {.returns = ReturnPolicy::kHold, .hold = 100}, .queue = kQueue});
    rx.connect({.bytes = 2 * kMiB});
    const LocalStream local(scene, rx, {.bytes = kMiB, .chunks = {5000}});
    rx.receive_all();
    expect_copies(scene, rx, kMiB);
}

// The queue's page pool is another one then, and buffers that the old one had are free.
SCENARIO(copy_fallback, behind_interface_down,
         "what is copied into buffers that a queue gave back when its interface went down is right",
         Terms(Needs{.where = Where::kDevice, .disruptive = true, .queues = 1})
             .claims({"copy_fallback.loopback"})) {
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    while_down(scene, [] {});
    const LocalStream local(scene, rx, {.bytes = kMiB});
    rx.receive_all();
    expect_copies(scene, rx, kMiB);
}

// Bytes that came in the linear part of a packet. `most` are more than `least` if a packet came
// twice: its bytes are copied if the first of the two had them there.
struct LinearBytes {
    uint64_t least = 0, most = 0;
};

// I4 judges: of the stream's first `bytes` exactly those are copied that the fault split_late put
// into the linear part, so many of each packet.
LinearBytes expect_linear_copies(Scene& scene, ReceivePath& rx, uint32_t stream, uint64_t bytes,
                                 uint64_t of_each_packet) {
    const Placement placed = placement_of(scene, rx.socket(stream), bytes);
    const LinearBytes linear = {static_cast<uint64_t>(std::ranges::count(placed.ways, 0U)),
                                fault_hits(scene) * of_each_packet};
    EXPECT_LE(linear.least, linear.most);
    scene.trace().add(CopiesExpected{rx.ifq().number(), linear.least, linear.most - linear.least});
    return linear;
}

// Behind the headers, so many bytes of payload came with them into the linear part of the packet.
struct Late {
    const char* name;
    uint32_t bytes;
    uint32_t chunk;  // of each write of the peer, which becomes a packet
};
constexpr Late kLate[] = {{"1_byte", 1, 1400},
                          {"8_bytes", 8, 1400},
                          {"60_bytes", 60, 1400},
                          {"all_but_1", 39, 40},
                          {"all", 40, 40}};

SCENARIO_TABLE(copy_fallback, split_too_late,
               "payload in the linear part of a packet is copied, and nothing else",
               Terms(kFaults).claims({"copy_fallback.linear"}), kLate, row) {
    scene.inject(with_data({.what = FaultKind::kSplitLate, .bytes = row.bytes}, {.count = 20}));
    ReceivePath rx(scene, {.queue = kQueue});
    const uint64_t bytes = uint64_t{row.chunk} * 60;
    // One segment after the other, so that each is a packet of its own.
    const uint32_t stream = rx.connect({.bytes = bytes, .chunks = {row.chunk}, .rate = bytes * 4});
    rx.receive_all();
    // On a busy machine several writes become one packet.
    EXPECT_GE(fault_hits(scene), 5U);
    expect_linear_copies(scene, rx, stream, bytes, row.bytes);
}

// How packets of 1400 bytes come, of which 60 are in the linear part, and where requests end.
struct PartLinear {
    const char* name;
    uint32_t limit;  // of each request; 0: none
    uint64_t rate;   // bytes per second; 0: as fast as it goes, so that packets are merged
    uint64_t packets;
};
constexpr PartLinear kPartLinear[] = {
    {"limit_at_its_end", 30, 100000, 20},
    {"limit_in_it", 40, 100000, 20},
    {"merged", 0, 0, 300},
    {"merged_limit", 1000, 0, 300},
};

SCENARIO_TABLE(copy_fallback, part_linear,
               "of packets that begin in the linear part and go on in buffers each byte arrives "
               "once, wherever requests end and however many packets are merged",
               Terms(kFaults).claims({"copy_fallback.linear"}), kPartLinear, row) {
    constexpr uint32_t kPacket = 1400, kLinear = 60;
    // On a busy machine even packets that come one by one would be joined.
    if (row.rate != 0) scene.must(scene.nic().set_feature("rx-gro", false));
    // What follows to measure comes as it should.
    scene.inject(
        with_data({.what = FaultKind::kSplitLate, .bytes = kLinear}, {.count = row.packets}));
    ReceivePath rx(scene, {.receiver = {.limit = row.limit}, .queue = kQueue});
    const uint64_t bytes = kPacket * row.packets;
    const uint32_t stream = rx.connect(
        {.bytes = bytes, .chunks = {kPacket}, .rate = row.rate, .tcp = {.mss = kPacket}});
    rx.receive_all();
    EXPECT_GE(fault_hits(scene), 5U);
    expect_linear_copies(scene, rx, stream, bytes, kLinear);
}

SCENARIO(copy_fallback, linear_on_other_queue, "a small packet that no queue split is copied whole",
         Terms(kFaults).claims({"copy_fallback.linear", "copy_fallback.other-queue"})) {
    scene.inject(with_data({.what = FaultKind::kNoSplit}));
    ReceivePath rx(scene, {.steer = false});
    const uint32_t stream = rx.connect({.bytes = 5000, .chunks = {100}, .rate = 20000});
    tell_unsteered(scene, rx, stream);
    rx.receive_all();
    const Placement placed = placement_of(scene, rx.socket(stream), 5000);
    EXPECT_EQ(placed.never_split_on(0), 5000U) << "The device did split.";
    expect_copies(scene, rx, 5000);
}

// ---- where header split failed

struct Failure {
    const char* name;
    FaultRule rule;         // for which packets, each scenario says
    bool capacity = false;  // measured afterwards
};
constexpr Failure kFailures[] = {
    {"no_split", {.what = FaultKind::kNoSplit}, true},
    {"1_byte_too_early", {.what = FaultKind::kSplitEarly, .bytes = 1}},
    {"tcp_header_too_early", {.what = FaultKind::kSplitEarly, .bytes = 32}, true},
    {"ip_header_too_early", {.what = FaultKind::kSplitEarly, .bytes = 40}},
};

SCENARIO_TABLE(copy_fallback, split_failed,
               "a packet whose headers lie in memory that the kernel cannot read is dropped, never "
               "half read, and comes again",
               Terms(kFaults).claims({"header_split.failed"}), kFailures, row) {
    scene.inject(with_data(row.rule, {.skip = 10, .every = 20, .count = 4}));
    ReceivePath rx(scene, {.ifq = {.area_size = 6 * kMiB}, .queue = kQueue});
    const uint32_t stream = rx.connect({.bytes = kMiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(fault_hits(scene), 4U);
    // A NIC with a ring of its own for what is not payload has put them where they can be read.
    const Placement placed = placement_of(scene, rx.socket(stream), kMiB);
    if (lies_outside_areas(scene, placed.unsplit_at))
        scene.trace().add(placed.copies_for(rx.ifq().number(), kQueue));
    else
        expect_copies(scene, rx, 0);
    if (row.capacity) rx.measure_capacity();
}

SCENARIO_TABLE(copy_fallback, split_failed_elsewhere,
               "a packet whose split failed on a queue of the kernel's own memory is copied",
               Terms(kFaults).claims({"copy_fallback.other-queue"}), kFailures, row) {
    scene.inject(with_data(row.rule, {.every = 3}));
    ReceivePath rx(scene, {.steer = false});
    tell_unsteered(scene, rx, rx.connect({.bytes = kMiB / 2, .tcp = {.mss = 1400}}));
    rx.receive_all();
    EXPECT_GT(fault_hits(scene), 50U);
    expect_copies(scene, rx, kMiB / 2);
}

// ---- how it is copied

SCENARIO(copy_fallback, page_limit, "a CQE of copied data never exceeds a page or crosses one",
         Terms(Needs{}).claims({"copy_fallback.page-limit"})) {
    ReceivePath rx(scene);
    uint64_t full = 0;
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        const auto length = static_cast<uint64_t>(cqe.result);
        EXPECT_LE(cqe.offset % kPageSize + length, kPageSize);
        if (length == kPageSize) ++full;
    };
    const LocalStream local(scene, rx, {.bytes = 2 * kMiB, .chunks = {262144}});
    rx.receive_all();
    EXPECT_GT(full, 0U) << "No page was full, so the limit was not met.";
    expect_copies(scene, rx, 2 * kMiB);
}

SCENARIO(copy_fallback, empty_area,
         "a copy into an area without a free buffer ends with -ENOMEM, and goes on with the next "
         "byte when buffers come back",
         Terms(Needs{.features = {Feature::kFlushRq}}).claims({"exhaustion.enomem"})) {
    // A NIC has taken at least half of these.
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 8 * kMiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint64_t bytes = 10 * kMiB;
    const LocalStream local(scene, rx, {.bytes = bytes});
    const StreamState& state = rx.receiver().state(local.stream());
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_GT(state.bytes, 0U);
    EXPECT_LT(state.bytes, bytes);
    const uint64_t before = state.bytes;
    scene.must(rx.receiver().arm(local.stream()));
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(state.bytes, before) << "There was a free buffer after all.";

    rx.receiver().options().returns = ReturnPolicy::kAtOnce;
    scene.must(rx.receiver().return_held());
    scene.must(rx.receiver().flush(rx.ifq()));
    scene.must(rx.receiver().arm(local.stream()));
    rx.receive_all();
    EXPECT_EQ(state.bytes, bytes);
    expect_copies(scene, rx, bytes);
}

SCENARIO(copy_fallback, empty_area_linear,
         "an unsplit packet that finds no free buffer ends its request with -ENOMEM, and comes "
         "whole when there are some",
         Terms(kFaultsAndFlush).claims({"exhaustion.enomem", "copy_fallback.linear"})) {
    scene.inject(with_data({.what = FaultKind::kNoSplit}));
    ReceivePath rx(scene, {.ifq = {.area_size = 8 * kMiB},
                           .receiver = {.returns = ReturnPolicy::kNever},
                           .steer = false});
    const uint64_t bytes = 10 * kMiB, linear = 5000;
    const LocalStream filler(scene, rx, {.bytes = bytes});
    const StreamState& filled = rx.receiver().state(filler.stream());
    rx.receive_until_end(filler.stream());
    EXPECT_EQ(filled.final_result, -ENOMEM);

    const uint32_t stream = rx.connect({.bytes = linear, .chunks = {100}, .rate = 20000});
    tell_unsteered(scene, rx, stream);
    const StreamState& state = rx.receiver().state(stream);
    rx.receive_until_end(stream);
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(state.bytes, 0U) << "There was a free buffer after all.";

    rx.receiver().options().returns = ReturnPolicy::kAtOnce;
    scene.must(rx.receiver().return_held());
    scene.must(rx.receiver().flush(rx.ifq()));
    scene.must(rx.receiver().arm(filler.stream()));
    scene.must(rx.receiver().arm(stream));
    rx.receive_all();
    EXPECT_EQ(state.bytes, linear);
    const Placement placed = placement_of(scene, rx.socket(stream), linear);
    EXPECT_EQ(placed.never_split_on(0), linear) << "The device did split.";
    expect_copies(scene, rx, bytes + linear);
}

// ---- what the kernel says about it

constexpr uint64_t kEventData = 0xc0b1;
const Needs kEvents{.features = {Feature::kEvents}};

ReceivePathOptions with_events() {
    ReceivePathOptions options;
    options.ifq.events = EventOptions{
        .user_data = kEventData,
        .types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kCopy),
        .statistics = true,
    };
    return options;
}

uapi::ZcrxStats statistics(Scene& scene, ReceivePath& rx) {
    const auto seen = rx.ifq().statistics();
    if (!seen) scene.give_up("There are no statistics.");
    return *seen;
}

// What the NIC brings by zero copy before.
void receive_uncopied(Scene& scene, ReceivePath& rx) {
    if (!scene.has_device()) return;
    rx.connect({.bytes = kMiB});
    rx.receive_all();
}

SCENARIO(copy_fallback, copy_event, "the first copy raises COPY, and the next one only if armed",
         Terms(kEvents).claims({"copy_fallback.copy-event"})) {
    ReceivePath rx(scene, with_events());
    receive_uncopied(scene, rx);
    EXPECT_TRUE(rx.receiver().take_other().empty()) << "Nothing was copied.";
    for (const bool armed : {true, false, true}) {
        const LocalStream local(scene, rx, {.bytes = 100000});
        rx.receive_all();
        scene.must(rx.receiver().catch_up());
        const std::vector<Completion> events = rx.receiver().take_other();
        EXPECT_EQ(events.size(), armed ? 1U : 0U);
        for (const Completion& event : events) {
            EXPECT_EQ(event.user_data, kEventData);
            EXPECT_EQ(event.result, static_cast<int32_t>(uapi::ZcrxEvent::kCopy));
            EXPECT_EQ(event.flags, 0U);
        }
        if (armed) continue;
        // A type whose bit would be that of the event which has fired.
        uapi::ZcrxCtrl control{};
        control.zcrx_id = rx.ifq().zcrx_id();
        control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kArmEvent);
        control.arm.type = 32 + static_cast<uint32_t>(uapi::ZcrxEvent::kCopy);
        EXPECT_EQ(errno_of(control_raw(rx.ring(), control)), EINVAL);
        control.arm.type = static_cast<uint32_t>(uapi::ZcrxEvent::kCopy);
        for (uint32_t& reserved : control.arm.reserved) {
            reserved = 1;
            EXPECT_EQ(errno_of(control_raw(rx.ring(), control)), EINVAL);
            reserved = 0;
        }
        scene.must(rx.ifq().arm(uapi::ZcrxEvent::kCopy));
    }
    expect_copies(scene, rx, 300000);
}

SCENARIO(copy_fallback, event_not_asked_for,
         "a copy raises no event where only those of another type were asked for",
         Terms(kEvents).claims({"copy_fallback.copy-event"})) {
    ReceivePathOptions options = with_events();
    options.ifq.events->types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kAllocFail);
    ReceivePath rx(scene, options);
    {
        const LocalStream local(scene, rx, {.bytes = 100000});
        rx.receive_all();
    }
    scene.must(rx.receiver().catch_up());
    EXPECT_TRUE(rx.receiver().take_other().empty()) << "It was told of an event.";
    expect_copies(scene, rx, 100000);
}

SCENARIO(copy_fallback, copy_bytes,
         "copy_bytes is the number of bytes that were copied, whatever its memory held before",
         Terms(kEvents).claims({"copy_fallback.copy-statistics"})) {
    ReceivePathOptions options = with_events();
    options.open = [&](Ring& ring, std::unique_ptr<IfqRequest> request) {
        std::memset(request->region_memory.data(), 0xff, request->region.size);
        return Ifq::open(ring, std::move(request), &scene.trace());
    };
    ReceivePath rx(scene, options);
    receive_uncopied(scene, rx);
    EXPECT_EQ(statistics(scene, rx).copy_bytes, 0U);
    EXPECT_EQ(statistics(scene, rx).copy_count, 0U);
    {
        const LocalStream byte(scene, rx, {.bytes = 1});
        rx.receive_all();
        EXPECT_EQ(statistics(scene, rx).copy_bytes, 1U);
        EXPECT_EQ(statistics(scene, rx).copy_count, 1U);
    }
    const LocalStream local(scene, rx, {.bytes = kMiB, .chunks = {9999}});
    rx.receive_all();
    EXPECT_EQ(statistics(scene, rx).copy_bytes, kMiB + 1);
    EXPECT_GT(statistics(scene, rx).copy_count, 1U);
    expect_copies(scene, rx, kMiB + 1);
}

SCENARIO(copy_fallback, copy_count, "copy_count is the number of CQEs whose bytes were copied",
         Terms(kEvents).claims({"copy_fallback.copy-statistics"})) {
    ReceivePath rx(scene, with_events());
    const LocalStream local(scene, rx, {.bytes = kMiB});
    rx.receive_all();
    expect_copies(scene, rx, kMiB);
    const uint64_t cqes = rx.receiver().state(local.stream()).data_cqes;
    const uint64_t count = statistics(scene, rx).copy_count;
    EXPECT_TRUE(count == cqes) << "copy_count is not the number of CQEs: it says " << count
                               << " for " << cqes << " CQEs of copied data.";
}

SCENARIO(copy_fallback, failed_copies_do_not_count,
         "a copy that finds no free buffer counts neither as one nor as bytes",
         Terms(kEvents).claims({"copy_fallback.copy-statistics"})) {
    ReceivePathOptions options = with_events();
    options.ifq.area_size = scene.has_device() ? 8 * kMiB : kMiB;
    options.receiver.returns = ReturnPolicy::kNever;
    ReceivePath rx(scene, options);
    const LocalStream local(scene, rx, {.bytes = options.ifq.area_size + 2 * kMiB});
    const StreamState& state = rx.receiver().state(local.stream());
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    const uapi::ZcrxStats before = statistics(scene, rx);
    // What lies in the linear part of a packet is not counted at all (the finding
    // copy-statistics-without-linear-data), and TCP over loopback has a few bytes there at times.
    EXPECT_LE(before.copy_bytes, state.bytes);
    EXPECT_GT(before.copy_bytes, 0U) << "No copy counts.";
    scene.must(rx.receiver().arm(local.stream()));
    rx.receive_until_end(local.stream());
    EXPECT_EQ(state.final_result, -ENOMEM);
    const uapi::ZcrxStats after = statistics(scene, rx);
    EXPECT_EQ(after.copy_count, before.copy_count);
    EXPECT_EQ(after.copy_bytes, before.copy_bytes);
    expect_copies(scene, rx, state.bytes);
    rx.abandon();
}

SCENARIO(copy_fallback, copy_bytes_of_linear_data,
         "copy_bytes counts bytes from the linear part of packets, too",
         Terms(Needs{.where = Where::kDevice,
                     .dma_log = true,
                     .faults = true,
                     .queues = 1,
                     .features = {Feature::kEvents}})
             .claims({"copy_fallback.copy-statistics"})) {
    scene.inject(with_data({.what = FaultKind::kSplitLate, .bytes = 40}, {.count = 20}));
    ReceivePath rx(scene, with_events());
    constexpr uint64_t kBytes = 60000;
    const uint32_t stream = rx.connect({.bytes = kBytes, .chunks = {1000}, .rate = kBytes * 4});
    rx.receive_all();
    const LinearBytes copied = expect_linear_copies(scene, rx, stream, kBytes, 40);
    EXPECT_GT(copied.least, 0U);
    const uint64_t bytes = statistics(scene, rx).copy_bytes;
    EXPECT_TRUE(bytes >= copied.least && bytes <= copied.most)
        << "copy_bytes leaves out linear data: it says " << bytes << " where " << copied.least
        << " bytes were copied.";
}

}  // namespace
}  // namespace zcrxlab::copy_fallback
