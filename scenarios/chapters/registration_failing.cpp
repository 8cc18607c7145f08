// Chapter registration: each allocation on the way fails in turn, on kernels that can be asked to.
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/statistics.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"
#include "scenarios/framework/surroundings/coalescing.hpp"
#include "scenarios/framework/surroundings/fail_function.hpp"
#include "scenarios/framework/surroundings/fail_nth.hpp"
#include "scenarios/framework/surroundings/fail_slab.hpp"
#include "scenarios/framework/surroundings/interface_down.hpp"

namespace zcrxlab::registration_failing {
namespace {

// Far more than a registration has steps; an end that is never reached is a failure.
constexpr uint32_t kMostSteps = 2000;

// What the kernel's caches have left shifts the count, so that one sweep passes by an allocation
// now and then.
constexpr uint32_t kSweeps = 2;

constexpr uint64_t kEventData = 0xfa11;

// What struct page_pool is allocated from (net/core/page_pool.c:page_pool_create_percpu).
constexpr const char* kPagePools = "kmalloc-2k";

// Registers again and again, until nothing fails any more; so many of them have to be refused for
// want of memory, beside those of which a copy fails.
void register_while_failing(Scene& scene, FailNth& failing, uint32_t least) {
    IfqOptions options = receiving_ifq(scene);
    uint32_t refused = 0, without_memory = 0, survived = 0;
    const auto sweep = [&] {
        for (uint32_t n = 1;; ++n) {
            ASSERT_LT(n, kMostSteps) << "Something fails at every step.";
            Ring ring = scene.must(Ring::create());
            auto request = scene.must(IfqRequest::prepare(options));
            const MemoryCounters before = scene.must(read_memory_counters());
            failing.arm(n);
            const int seen = errno_of(register_raw(ring, &request->registration));
            const bool failed = failing.disarm();
            if (seen != 0) {
                ++refused;
                without_memory += seen == ENOMEM ? 1 : 0;
                EXPECT_TRUE(failed)
                    << "Step " << n << " was refused with " << seen << ", and nothing had failed.";
                EXPECT_TRUE(FailNth::may_refuse_with(seen))
                    << "Step " << n << " was refused with " << seen;
                const MemoryCounters after = scene.must(read_memory_counters());
                // The ring of the step before may still have been going away.
                EXPECT_LE(after.pinned_kb, before.pinned_kb) << "at step " << n;
                EXPECT_LE(after.locked_kb, before.locked_kb) << "at step " << n;
                continue;
            }
            if (!failed) return;
            // The kernel had another way.
            ++survived;
            const auto ifq =
                scene.must(Ifq::of_registered(ring, std::move(request), &scene.trace()));
            SingleThreadStream(scene, ring, ifq->zcrx_id(), *ifq).send_and_expect(30000);
            scene.trace().add(RingClosed{options.number});
            options.number = scene.next_ifq();
        }
    };
    for (uint32_t i = 0; i < kSweeps; ++i) sweep();
    EXPECT_GE(without_memory, least) << "Hardly anything failed, so hardly anything was tried.";
    scene.note(std::to_string(refused) + " steps were refused, " + std::to_string(survived) +
               " went another way");
    if (scene.has_device()) scene.wait_for_release(options.queue);
    expect_registers(scene, options);
}

SCENARIO(registration, each_step_fails,
         "a registration whose n-th allocation fails is refused whole, or is as good as any other, "
         "whatever n is",
         Terms(Needs{.features = {Feature::kFailNth}})) {
    FailNth failing(scene);
    register_while_failing(scene, failing, 6);
}

// Without what a driver needs to speak to its device.
SCENARIO(registration, pool_cannot_be_made,
         "a registration for which there is no memory for the queue's page pool is refused whole",
         Terms(Needs{.where = Where::kDevice, .features = {Feature::kFailNth}})) {
    FailNth failing(scene, kPagePools);
    register_while_failing(scene, failing, 1);
}

SCENARIO(registration, receiving_fails,
         "a stream arrives whole while every few allocations of its receiver fail",
         Terms(Needs{.features = {Feature::kFailNth, Feature::kEvents}})) {
    constexpr uint32_t kRounds = 48;
    constexpr uint64_t kStep = 16 * 1024;
    ReceivePathOptions options;
    // What is copied also allocates an event.
    options.ifq.events = EventOptions{.user_data = kEventData,
                                      .types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kCopy)};
    ReceivePath rx(scene, options);
    const uint32_t stream = rx.connect({.bytes = 0, .chunks = {4096}, .end = PeerEnd::kIdle});
    FailNth failing(scene);
    uint32_t failed = 0;
    for (uint32_t round = 1; round <= kRounds; ++round) {
        const auto enough = [&] { return rx.receiver().total_bytes() >= round * kStep; };
        // Not all of it at once, so that something comes in each round.
        rx.peer(stream).send_more(kStep);
        failing.arm(round);
        const auto ran = rx.receiver().run(scene.time_left(), enough);
        if (failing.disarm()) ++failed;
        // The call that waits for completions copies as well, and may be what fails.
        EXPECT_TRUE(ran || ran.error().code == EFAULT) << ran.error().sentence;
        rx.receive(round * kStep);
        if (!rx.receiver().take_other().empty()) scene.must(rx.ifq().arm(uapi::ZcrxEvent::kCopy));
    }
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_GT(failed, 0U) << "Nothing failed, so nothing was tried.";
}

// ---- the page pool of the queue

struct Empty {
    const char* name;
    uint32_t percent;  // of the calls that find no buffer
    uint32_t times;    // until it has buffers again; 0: never
};
constexpr Empty kEmpties[] = {{"first_call", 100, 1},
                              {"first_100_calls", 100, 100},
                              {"every_tenth", 10, 0},
                              {"every_third", 33, 0}};

const Needs kFailingPool{
    .where = Where::kDevice, .queues = 1, .features = {Feature::kFailPagePool}};

SCENARIO_TABLE(registration, page_pool_fails_at_first,
               "a queue that gets no buffers while it starts registers and receives nevertheless",
               Terms(kFailingPool), kEmpties, row) {
    FailFunction failing(scene, kPagePoolAllocation);
    failing.fail(row.percent, row.times);
    ReceivePath rx(scene, {.ifq = {.area_size = 6U << 20}, .queue = 1});
    if (row.times == 0) failing.stop();
    rx.connect({.bytes = 2U << 20});
    rx.receive_all();
    EXPECT_EQ(failing.left(), 0U) << "the pool was not asked so often";
    rx.measure_capacity();
}

// A driver that has to have pages for packets that its NIC joins cannot start a queue without them.
SCENARIO(registration, page_pool_fails_for_ever,
         "a queue that gets no buffers at all is refused whole or registers, and can be taken and "
         "receives once there are some",
         Terms(kFailingPool)) {
    if (const auto coalescing = coalesce(scene); !coalescing)
        scene.note(coalescing.error().sentence);
    IfqOptions options = receiving_ifq(scene);
    {
        FailFunction failing(scene, kPagePoolAllocation);
        failing.fail(100);
        Ring ring = scene.must(Ring::create());
        auto request = scene.must(IfqRequest::prepare(options));
        const int seen = errno_of(register_raw(ring, &request->registration));
        scene.note("The registration returned " + std::to_string(-seen) + ".");
        EXPECT_TRUE(seen == 0 || seen == ENOMEM) << "It was refused with " << seen << ".";
    }
    scene.wait_for_release(options.queue);
    ReceivePath rx(scene, {.ifq = {.area_size = 6U << 20}, .queue = 1});
    rx.connect({.bytes = 2U << 20});
    rx.receive_all();
    rx.measure_capacity();
}

// A driver that replaces each buffer before it delivers it drops a packet for each of these calls,
// and TCP waits up to a second before it sends one again that was dropped already: so there are few
// of them in a row, or they end.
struct EmptyMeanwhile {
    const char* name;
    uint32_t percent;  // as of Empty
    uint32_t times;
    bool coalesce;
};
constexpr EmptyMeanwhile kEmptiesMeanwhile[] = {{"first_call", 100, 1, false},
                                                {"first_20_calls", 100, 20, false},
                                                {"every_tenth", 10, 0, false},
                                                {"every_third", 33, 20, false},
                                                {"where_packets_are_joined", 33, 20, true}};

// Of a driver that replaces each buffer the device has as many when all is done as it had at first.
void expect_all_replaced(Scene& scene, uint32_t queue, std::optional<int64_t> posted) {
    if (buffers_kept_by_driver(scene) == 0 || !posted) return;
    int64_t now = 0;
    scene.becomes(
        [&] { return (now = buffers_of_queue(scene, queue).posted.value_or(0)) >= *posted; },
        scene.time_left() / 4);
    ASSERT_GE(now, *posted) << *posted - now << " of " << *posted
                            << " buffers did not go back to the device.";
}

SCENARIO_TABLE(registration, page_pool_fails_while_receiving,
               "a stream arrives whole while its page pool is out of buffers every now and then",
               Terms(kFailingPool), kEmptiesMeanwhile, row) {
    if (row.coalesce) {
        if (const auto on = coalesce(scene); !on) GTEST_SKIP() << on.error().sentence;
    }
    ReceivePath rx(scene, {.ifq = {.area_size = 6U << 20}, .queue = 1});
    const auto posted = buffers_of_queue(scene, rx.queue()).posted;
    const uint32_t stream = rx.connect({.bytes = UINT64_MAX, .tcp = {.gives_up = false}});
    rx.receive(1U << 20);
    FailFunction failing(scene, kPagePoolAllocation);
    failing.fail(row.percent, row.times);
    const auto enough = [&] {
        return rx.receiver().total_bytes() >= 4U << 20 && failing.left() == 0;
    };
    EXPECT_EQ(scene.must(rx.receiver().run(scene.time_left(), enough)), RunEnd::kSatisfied);
    failing.stop();
    rx.peer(stream).stop();
    rx.receive_all();
    expect_all_replaced(scene, rx.queue(), posted);
    if (testing::Test::HasFatalFailure()) return;
    rx.measure_capacity();
}

// ---- memory for packets

constexpr uint32_t kQueue = 1;

struct HeadersKept {
    const char* name;
    const char* cache;  // has no memory
    uint32_t percent;   // of the times that it is asked
    uint32_t copied;    // bytes: longer packets, or headers, stay where the NIC has put them
    bool coalesce;
};
constexpr HeadersKept kHeadersKept[] = {
    {"copied", kSmallHeads, 10, 256, false},
    {"copied_where_packets_are_joined", kSmallHeads, 10, 256, true},
    {"not_copied", kPackets, 50, 0, false}};

void receive_without_memory(Scene& scene, const HeadersKept& row) {
    constexpr uint32_t kTimes = 20;
    ReceivePath rx(scene, {.ifq = {.area_size = 6U << 20}, .queue = kQueue});
    const auto posted = buffers_of_queue(scene, kQueue).posted;
    const uint32_t stream = rx.connect({.bytes = UINT64_MAX, .tcp = {.gives_up = false}});
    rx.receive(1U << 20);
    const uint64_t counted = allocation_failures(scene, kQueue);
    FailSlab failing(scene, row.cache);
    failing.fail(row.percent, kTimes);
    int64_t more = 0;
    const auto enough = [&] {
        if (rx.receiver().total_bytes() < 4U << 20 || failing.left() != 0) return false;
        more = static_cast<int64_t>(allocation_failures(scene, kQueue) - counted);
        // Others ask for such memory, too, and have had all of them.
        if (more == 0) failing.fail(row.percent, kTimes);
        return more != 0;
    };
    EXPECT_EQ(scene.must(rx.receiver().run(scene.time_left(), enough)), RunEnd::kSatisfied);
    failing.stop();
    rx.peer(stream).stop();
    rx.receive_all();
    EXPECT_GE(more, 1) << "packets that were dropped for want of memory are counted";
    expect_all_replaced(scene, kQueue, posted);
    if (testing::Test::HasFatalFailure()) return;
    rx.measure_capacity();
}

SCENARIO_TABLE(registration, no_memory_for_headers,
               "a stream arrives whole while every now and then there is no memory for a packet or "
               "for its headers",
               Terms(Needs{.where = Where::kDevice, .queues = 1, .features = {Feature::kFailNth}}),
               kHeadersKept, row) {
    if (row.coalesce) {
        if (const auto on = coalesce(scene); !on) GTEST_SKIP() << on.error().sentence;
    }
    // bnxt takes this only while its interface is down, where a ring that closes warns.
    change_while_down(scene, [&] { scene.must(scene.nic().set_copybreak(row.copied)); });
    receive_without_memory(scene, row);
    scene.wait_for_release(kQueue);
}

}  // namespace
}  // namespace zcrxlab::registration_failing
