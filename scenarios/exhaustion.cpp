// Chapter exhaustion: no buffers left, what happens then, and how it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <thread>

#include "scenarios/form/lane.hpp"
#include "scenarios/form/scenario.hpp"
#include "scenarios/form/sizes.hpp"

namespace zcrxlab::exhaustion {
namespace {

using namespace std::chrono_literals;

// Keeps everything until no CQE has come for a while; the buffers that are in use then.
size_t receive_until_silence(Scene& scene, Lane& lane) {
    constexpr auto kSilence = 300ms;
    std::set<uint64_t> buffers;
    auto newest = std::chrono::steady_clock::now();
    lane.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        buffers.insert(cqe.offset / lane.ifq().buffer_size());
        newest = std::chrono::steady_clock::now();
    };
    scene.must(lane.receiver().run(scene.time_left(), [&] {
        return !buffers.empty() && std::chrono::steady_clock::now() - newest > kSilence;
    }));
    lane.receiver().on_data = {};
    return buffers.size();
}

// Gives everything back and goes on as usual.
void recover(Scene& scene, Lane& lane, uint32_t stream) {
    lane.receiver().options().returns = ReturnPolicy::kAtOnce;
    scene.must(lane.receiver().return_held());
    // Kernels that cannot be asked take buffers when the NIC wants them.
    scene.must(lane.receiver().flush(lane.ifq()));
    if (!lane.receiver().state(stream).armed) scene.must(lane.receiver().arm(stream));
}

struct Area {
    const char* name;
    size_t size;
};
constexpr Area kSmallAreas[] = {
    {"1_page", 4_KiB}, {"2_pages", 8_KiB}, {"16_pages", 64_KiB}, {"64_pages", 256_KiB}};

SCENARIO_TABLE(exhaustion, tiny_area,
               "an area of a few pages carries a stream of any length by copies",
               Terms(Needs{.features = {Feature::kNodev}})
                   .claims({"exhaustion.enomem", "exhaustion.burst-then-silence"}),
               kSmallAreas, row) {
    Lane lane(scene, {.ifq = {.area_size = row.size}, .nodev = true});
    lane.connect({.bytes = 500000});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 500000U);
    lane.measure_capacity();
}

// The receive ring of a NIC has 1024 entries and more.
constexpr Area kAreasBelowRing[] = {{"512_pages", 2_MiB},
                                    {"1000_pages", 4000_KiB},
                                    {"1024_pages", 4_MiB},
                                    {"1025_pages", 4100_KiB},
                                    {"1100_pages", 4400_KiB}};

SCENARIO_TABLE(exhaustion, small_area, "an area that is about as large as the receive ring works",
               Terms(Needs{}).claims({"exhaustion.small-area"}), kAreasBelowRing, row) {
    Lane lane(scene, {.ifq = {.area_size = row.size}});
    lane.connect({.bytes = 6_MiB});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 6_MiB);
    lane.measure_capacity();
}

SCENARIO(exhaustion, all_held,
         "with every buffer held the stream stops, and goes on where it was when they come back",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    Lane lane(scene, {.ifq = {.area_size = 8_MiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint32_t stream = lane.connect({.bytes = 24_MiB});
    const size_t held = receive_until_silence(scene, lane);
    EXPECT_LE(held, lane.ifq().buffers());
    EXPECT_GE(held + 64, lane.ifq().buffers()) << lane.buffers_of_device();
    EXPECT_LT(lane.receiver().state(stream).bytes, 24_MiB);
    recover(scene, lane, stream);
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 24_MiB);
    lane.measure_capacity();
}

SCENARIO(exhaustion, again_and_again, "an area that runs empty three times goes on each time",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    Lane lane(scene, {.ifq = {.area_size = 6_MiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint32_t stream = lane.connect({.bytes = 64_MiB, .end = PeerEnd::kReset});
    for (int round = 0; round < 3; ++round) {
        const uint64_t before = lane.receiver().total_bytes();
        receive_until_silence(scene, lane);
        EXPECT_GT(lane.receiver().total_bytes(), before) << lane.buffers_of_device();
        recover(scene, lane, stream);
        lane.receiver().options().returns = ReturnPolicy::kNever;
    }
    // Its reset may be dropped for want of a buffer, so that nothing waits for it.
    lane.peer(stream).stop();
    lane.abandon();
}

SCENARIO(exhaustion, enomem,
         "a copy without a buffer ends the request with -ENOMEM, with the whole area handed out "
         "and no byte lost",
         Terms(Needs{.features = {Feature::kNodev}}).claims({"exhaustion.enomem", "cqe32.rearm"})) {
    constexpr uint64_t kBytes = 1_MiB;
    Lane lane(scene, {.ifq = {.area_size = 64_KiB},
                      .receiver = {.returns = ReturnPolicy::kNever},
                      .nodev = true});
    std::set<uint64_t> buffers;
    lane.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        EXPECT_TRUE(buffers.insert(cqe.offset / lane.ifq().buffer_size()).second)
            << "a held buffer was handed out again";
    };
    const uint32_t stream = lane.connect({.bytes = kBytes});
    const StreamState& state = lane.receiver().state(stream);
    scene.must(lane.receiver().run(scene.time_left(), [&] { return state.ended; }));
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(buffers.size(), lane.ifq().buffers());

    // Without a buffer it ends again, with nothing.
    const uint64_t before = state.bytes;
    scene.must(lane.receiver().arm(stream));
    scene.must(lane.receiver().run(scene.time_left(), [&] { return state.ended; }));
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(state.bytes, before);

    lane.receiver().on_data = {};
    recover(scene, lane, stream);
    lane.receive_all();
    EXPECT_EQ(state.bytes, kBytes);
    lane.measure_capacity();
}

// A call takes 20 packets at most. Where these need less than the area, what is held has to run the
// area empty: buffers that go back between two calls may be enough for the rest.
struct Burst {
    const char* name;
    size_t area;
    uint64_t bytes;
    uint32_t hold;
};
constexpr Burst kBursts[] = {{"1_page", 4_KiB, 60000, 0},
                             {"4_pages", 16_KiB, 60000, 0},
                             {"8_pages_small_segments", 32_KiB, 50000, 8}};

SCENARIO_TABLE(exhaustion, burst_then_silence,
               "a burst larger than the area is received without another packet's help",
               Terms(Needs{.features = {Feature::kNodev}})
                   .claims({"exhaustion.burst-then-silence", "exhaustion.enomem"}),
               kBursts, row) {
    Lane lane(scene, {.ifq = {.area_size = row.area},
                      .receiver = {.returns = ReturnPolicy::kHold, .hold = row.hold},
                      .nodev = true});
    const uint32_t stream =
        lane.connect({.bytes = row.bytes, .chunks = {1000}, .end = PeerEnd::kIdle, .armed = false});
    lane.wait_for_queued(stream, row.bytes);
    lane.arm(stream);
    lane.receive(row.bytes);
    EXPECT_GT(lane.receiver().state(stream).no_buffers, 0U);
    lane.abandon();
}

SCENARIO(exhaustion, one_held_at_a_time,
         "a reader that holds all but a few buffers slows the stream down and loses nothing",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    Lane lane(scene, {.ifq = {.area_size = 8_MiB},
                      .receiver = {.returns = ReturnPolicy::kHold, .hold = 900}});
    lane.connect({.bytes = 16_MiB});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 16_MiB);
}

// One lost segment, and everything behind it waits in the socket with its buffers.
SCENARIO(exhaustion, out_of_order_holds,
         "out-of-order data that holds buffers does not stop the stream for ever",
         Terms(Needs{.where = Where::kDevice, .faults = true})
             .claims({"exhaustion.out-of-order-holds"})) {
    scene.inject(
        R"({"what":"drop","match":{"protocol":"tcp","payload":true,"skip":40,"every":200,"count":8}})");
    Lane lane(scene, {.ifq = {.area_size = 6_MiB}});
    lane.connect({.bytes = 8_MiB, .tcp = {.mss = 1400, .receive_buffer = 16 << 20}});
    lane.receive_all();
    EXPECT_EQ(lane.receiver().total_bytes(), 8_MiB);
    lane.measure_capacity();
}

// ---- the event

constexpr uint64_t kEventData = 0xe7e47;

LaneOptions with_alloc_fail(size_t area) {
    LaneOptions options = {.receiver = {.returns = ReturnPolicy::kNever}};
    options.ifq.area_size = area;
    options.ifq.events = EventOptions{
        .user_data = kEventData,
        .types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kAllocFail),
    };
    return options;
}

SCENARIO(exhaustion, alloc_fail_event,
         "a NIC that gets no buffer raises ALLOC_FAIL once, and again after it was armed again",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kEvents}})
             .claims({"exhaustion.alloc-fail-event"})) {
    Lane lane(scene, with_alloc_fail(6_MiB));
    const uint32_t stream = lane.connect({.bytes = 64_MiB, .end = PeerEnd::kReset});
    for (int round = 0; round < 2; ++round) {
        receive_until_silence(scene, lane);
        scene.must(lane.receiver().catch_up());
        const std::vector<Completion> events = lane.receiver().take_other();
        ASSERT_EQ(events.size(), 1U);
        EXPECT_EQ(events[0].user_data, kEventData);
        EXPECT_EQ(events[0].result, static_cast<int32_t>(uapi::ZcrxEvent::kAllocFail));
        EXPECT_EQ(events[0].flags, 0U);
        recover(scene, lane, stream);
        const uint64_t before = lane.receiver().total_bytes();
        scene.must(lane.receiver().run(
            scene.time_left(), [&] { return lane.receiver().total_bytes() >= before + 1_MiB; }));
        EXPECT_GE(lane.receiver().total_bytes(), before + 1_MiB) << "it did not go on";
        scene.must(lane.receiver().catch_up());
        EXPECT_TRUE(lane.receiver().take_other().empty()) << "it came again without being armed";
        lane.receiver().options().returns = ReturnPolicy::kNever;
        scene.must(lane.ifq().arm(uapi::ZcrxEvent::kAllocFail));
    }
    // Its reset may be dropped for want of a buffer, so that nothing waits for it.
    lane.peer(stream).stop();
    lane.abandon();
}

}  // namespace
}  // namespace zcrxlab::exhaustion
