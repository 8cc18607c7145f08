// Chapter exhaustion: no buffers left, what happens then, and how it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::exhaustion {
namespace {

using namespace std::chrono_literals;

// A driver may keep so many that no packet can reach.
constexpr size_t kOfDriver = 64;

bool device_starves(Scene& scene, ReceivePath& rx) {
    return !rx.ifq().nodev() && buffers_of_queue(scene, rx.queue()).starves();
}

// Keeps everything until the area is empty, and no CQE has come for a while since; the buffers that
// are in use then. All are, but for a few of the driver and what waits in the socket behind a hole:
// that may be any number, so that a driver which drops packets for want of a buffer tells it, too.
// Without a NIC there is neither, but what the round before gave back may lie in the refill ring,
// where copies do not look (io_zcrx_copy_chunk); there a request that ended with -ENOMEM tells it.
// Nothing if the area does not run empty, which costs half of the time that is left.
std::optional<size_t> receive_until_empty(Scene& scene, ReceivePath& rx, uint32_t stream) {
    const StreamState& state = rx.receiver().state(stream);
    const auto is_empty = [&] {
        return rx.ifq().nodev() && !state.armed && state.final_result == -ENOMEM;
    };
    const size_t out_of_reach = kOfDriver + buffers_kept_by_driver(scene);
    const auto silence = scene.scaled(300ms);
    std::set<uint64_t> buffers;
    auto newest = std::chrono::steady_clock::now();
    std::optional<uint64_t> dropped;  // when the first silence behind the newest CQE was over
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        buffers.insert(cqe.offset / rx.ifq().buffer_size());
        newest = std::chrono::steady_clock::now();
        dropped.reset();
    };
    const auto driver_drops = [&] {
        const uint64_t now = packets_without_replacement(scene, rx.queue());
        if (!dropped) dropped = now;
        return now > *dropped;
    };
    const RunEnd end = scene.must(rx.receiver().run(scene.time_left() / 2, [&] {
        if (std::chrono::steady_clock::now() - newest <= silence) return false;
        if (buffers.size() + out_of_reach >= rx.ifq().buffers() || is_empty() ||
            device_starves(scene, rx) || driver_drops())
            return true;
        newest = std::chrono::steady_clock::now();
        return false;
    }));
    rx.receiver().on_data = {};
    if (gave_up(end)) return std::nullopt;
    return buffers.size();
}

// Gives everything back and goes on as usual.
void recover(Scene& scene, ReceivePath& rx, uint32_t stream) {
    rx.receiver().options().returns = ReturnPolicy::kAtOnce;
    scene.must(rx.receiver().return_held());
    // Kernels that cannot be asked take buffers when the NIC wants them.
    scene.must(rx.receiver().flush(rx.ifq()));
    if (!rx.receiver().state(stream).armed) scene.must(rx.receiver().arm(stream));
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
    ReceivePath rx(scene, {.ifq = {.area_size = row.size}, .nodev = true});
    rx.connect({.bytes = 500000});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 500000U);
    rx.measure_capacity();
}

// The receive ring of a NIC has 1024 entries and more.
constexpr Area kAreasBelowRing[] = {{"512_pages", 2_MiB},
                                    {"1000_pages", 4000_KiB},
                                    {"1024_pages", 4_MiB},
                                    {"1025_pages", 4100_KiB},
                                    {"1100_pages", 4400_KiB}};

SCENARIO_TABLE(exhaustion, small_area, "an area that is about as large as the receive ring works",
               Terms(Needs{}).claims({"exhaustion.small-area"}), kAreasBelowRing, row) {
    ReceivePath rx(scene, {.ifq = {.area_size = row.size}});
    rx.connect({.bytes = 6_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 6_MiB);
    rx.measure_capacity();
}

// One that replaces a buffer before it delivers it has none for that.
SCENARIO(exhaustion, area_all_posted,
         "an area of just as many buffers as the driver keeps posted works",
         Terms(Needs{.where = Where::kDevice}).within(10s).claims({"exhaustion.small-area"})) {
    const size_t kept = buffers_kept_by_driver(scene);
    if (kept == 0)
        GTEST_SKIP() << "The driver keeps no buffers posted that it does not replace; type: "
                        "zcrxlab run --nic bnxt";
    ReceivePath rx(scene, {.ifq = {.area_size = kept * 4_KiB}});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
}

SCENARIO(exhaustion, all_held,
         "with every buffer held the stream stops, and goes on where it was when they come back",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 8_MiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint32_t stream = rx.connect({.bytes = 24_MiB});
    const auto held = receive_until_empty(scene, rx, stream);
    EXPECT_TRUE(held.has_value()) << "The area did not run empty" << rx.buffers_of_device();
    EXPECT_LE(held.value_or(0), rx.ifq().buffers());
    EXPECT_LT(rx.receiver().state(stream).bytes, 24_MiB);
    recover(scene, rx, stream);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 24_MiB);
    rx.measure_capacity();
}

SCENARIO(exhaustion, again_and_again, "an area that runs empty three times goes on each time",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    ReceivePath rx(scene,
                   {.ifq = {.area_size = 6_MiB}, .receiver = {.returns = ReturnPolicy::kNever}});
    const uint32_t stream = rx.connect({.bytes = 64_MiB, .end = PeerEnd::kReset});
    for (int round = 0; round < 3; ++round) {
        const auto held = receive_until_empty(scene, rx, stream);
        ASSERT_TRUE(held.has_value())
            << "The area did not run empty in round " << round + 1 << rx.buffers_of_device();
        // What came back in the round before is there again.
        ASSERT_GT(*held, rx.ifq().buffers() / 4) << "in round " << round + 1;
        recover(scene, rx, stream);
        rx.receive(rx.receiver().total_bytes() + 1_MiB);
        rx.receiver().options().returns = ReturnPolicy::kNever;
    }
    // Its reset may be dropped for want of a buffer, so that nothing waits for it.
    rx.peer(stream).stop();
    rx.abandon();
}

SCENARIO(exhaustion, enomem,
         "a copy without a buffer ends the request with -ENOMEM, with the whole area handed out "
         "and no byte lost",
         Terms(Needs{.features = {Feature::kNodev}}).claims({"exhaustion.enomem", "cqe32.rearm"})) {
    constexpr uint64_t kBytes = 1_MiB;
    ReceivePath rx(scene, {.ifq = {.area_size = 64_KiB},
                           .receiver = {.returns = ReturnPolicy::kNever},
                           .nodev = true});
    std::set<uint64_t> buffers;
    rx.receiver().on_data = [&](uint32_t, const Completion& cqe, auto) {
        EXPECT_TRUE(buffers.insert(cqe.offset / rx.ifq().buffer_size()).second)
            << "a held buffer was handed out again";
    };
    const uint32_t stream = rx.connect({.bytes = kBytes});
    const StreamState& state = rx.receiver().state(stream);
    rx.receive_until_end(stream);
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(buffers.size(), rx.ifq().buffers());

    // Without a buffer it ends again, with nothing.
    const uint64_t before = state.bytes;
    scene.must(rx.receiver().arm(stream));
    rx.receive_until_end(stream);
    EXPECT_EQ(state.final_result, -ENOMEM);
    EXPECT_EQ(state.bytes, before);

    rx.receiver().on_data = {};
    recover(scene, rx, stream);
    rx.receive_all();
    EXPECT_EQ(state.bytes, kBytes);
    rx.measure_capacity();
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
    ReceivePath rx(scene, {.ifq = {.area_size = row.area},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = row.hold},
                           .nodev = true});
    const uint32_t stream =
        rx.connect({.bytes = row.bytes, .chunks = {1000}, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, row.bytes);
    rx.arm(stream);
    rx.receive(row.bytes);
    EXPECT_GT(rx.receiver().state(stream).no_buffers, 0U);
    rx.abandon();
}

SCENARIO(exhaustion, one_held_at_a_time,
         "a reader that holds all but a few buffers slows the stream down and loses nothing",
         Terms(Needs{}).claims({"exhaustion.throttled"})) {
    ReceivePath rx(scene, {.ifq = {.area_size = 8_MiB},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = 900}});
    rx.connect({.bytes = 16_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 16_MiB);
}

// One lost segment, and everything behind it waits in the socket with its buffers.
SCENARIO(exhaustion, out_of_order_holds,
         "out-of-order data that holds buffers does not stop the stream for ever",
         Needs{.where = Where::kDevice, .faults = true}) {
    scene.inject({.what = FaultKind::kDrop,
                  .match = {.protocol = FaultProtocol::kTcp,
                            .payload = true,
                            .skip = 40,
                            .every = 200,
                            .count = 8}});
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}});
    rx.connect({.bytes = 8_MiB, .tcp = {.mss = 1400, .receive_buffer = 16 << 20}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 8_MiB);
    rx.measure_capacity();
}

// ---- the event

constexpr uint64_t kEventData = 0xe7e47;

ReceivePathOptions with_alloc_fail(size_t area) {
    ReceivePathOptions options = {.receiver = {.returns = ReturnPolicy::kNever}};
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
    ReceivePath rx(scene, with_alloc_fail(6_MiB));
    const uint32_t stream = rx.connect({.bytes = 64_MiB, .end = PeerEnd::kReset});
    for (int round = 0; round < 2; ++round) {
        const auto event = scene.must(rx.receiver().next_other(scene.time_left() / 2));
        ASSERT_TRUE(event.has_value()) << "no event came";
        // What comes behind it may be another one.
        scene.must(rx.receiver().run(scene.scaled(300ms)));
        EXPECT_TRUE(rx.receiver().take_other().empty()) << "it came twice";
        EXPECT_EQ(event->user_data, kEventData);
        EXPECT_EQ(event->result, static_cast<int32_t>(uapi::ZcrxEvent::kAllocFail));
        EXPECT_EQ(event->flags, 0U);
        recover(scene, rx, stream);
        const uint64_t before = rx.receiver().total_bytes();
        scene.must(rx.receiver().run(
            scene.time_left(), [&] { return rx.receiver().total_bytes() >= before + 1_MiB; }));
        EXPECT_GE(rx.receiver().total_bytes(), before + 1_MiB) << "it did not go on";
        scene.must(rx.receiver().catch_up());
        EXPECT_TRUE(rx.receiver().take_other().empty()) << "it came again without being armed";
        rx.receiver().options().returns = ReturnPolicy::kNever;
        scene.must(rx.ifq().arm(uapi::ZcrxEvent::kAllocFail));
    }
    // Its reset may be dropped for want of a buffer, so that nothing waits for it.
    rx.peer(stream).stop();
    rx.abandon();
}

// The event means that there is no buffer anywhere, and entries of the refill ring are buffers.
SCENARIO(exhaustion, no_event_beside_entries,
         "ALLOC_FAIL does not come while buffers that came back lie in the refill ring",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kEvents}})
             .claims({"exhaustion.event-only-when-empty"})) {
    constexpr uint64_t kStep = 256_KiB;
    ReceivePath rx(scene, with_alloc_fail(16_MiB));
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    uint64_t sent = 0;
    // In steps, so that what the NIC has beside is enough to ask with.
    std::vector<Completion> events;
    while (events.empty() && scene.time_left().count() > 0) {
        rx.peer(stream).send_more(kStep);
        sent += kStep;
        scene.must(rx.receiver().run(scene.time_left(), [&] {
            for (const Completion& event : rx.receiver().take_other()) events.push_back(event);
            return !events.empty() || rx.receiver().total_bytes() >= sent;
        }));
    }
    ASSERT_EQ(events.size(), 1U) << "The area did not run empty" << rx.buffers_of_device();
    // Nothing takes them out of the ring but the NIC.
    const uint32_t head = rx.ifq().refill().head();
    scene.must(rx.receiver().return_held());
    scene.must(rx.ifq().arm(uapi::ZcrxEvent::kAllocFail));
    rx.peer(stream).send_more(4 * kStep);
    rx.receive(sent + 4 * kStep);
    EXPECT_NE(rx.ifq().refill().head(), head) << "The NIC has asked for no buffer.";
    EXPECT_TRUE(rx.receiver().take_other().empty()) << "it came beside entries of the refill ring";
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::exhaustion
