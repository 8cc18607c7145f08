// Chapter bring_up: what a driver is asked that has just got the queue API and zero-copy receive
// (include/net/netdev_queues.h: struct netdev_queue_mgmt_ops). What other chapters ask of it is not
// asked again here; "zcrxlab lab --bring-up" asks all of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/errno_name.hpp"
#include "harness/net/counters.hpp"
#include "harness/ring/socket_queues.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_removal.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/kernel_objects.hpp"
#include "scenarios/framework/surroundings/placement.hpp"
#include "scenarios/framework/surroundings/rules_that_go.hpp"

namespace zcrxlab::bring_up {
namespace {

using namespace std::chrono_literals;

constexpr size_t kArea = 8_MiB;     // more than a driver keeps posted
constexpr auto kReleaseBound = 5s;  // promised, on a machine of the usual speed

// The first queue that may be taken.
uint32_t queue_of(Scene& scene) {
    return scene.endpoints().first_queue;
}

IfqOptions ifq_on(Scene& scene, uint32_t queue) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.interface = scene.endpoints().interface;
    options.queue = queue;
    options.area_size = kArea;
    return options;
}

// ---- again and again

constexpr uint32_t kCycles = 100;

// What the interface has of page pools, and what its drivers have let go of and is still there.
struct Pools {
    int64_t in_use = 0, detached = 0;
    bool operator==(const Pools&) const = default;
};
Pools pools_of(Scene& scene) {
    const auto pools = scene.must(scene.nic().netdev().page_pools(true));
    const auto detached = std::ranges::count_if(
        pools, [](const PagePool& pool) { return pool.detach_time.has_value(); });
    return {static_cast<int64_t>(pools.size()) - detached, detached};
}

// They are, or become in time, what they were before.
void compare_pools_and_memory(Scene& scene, const Pools& before, const MemoryCounters& memory) {
    Pools after;
    MemoryCounters now;
    scene.becomes(
        [&] {
            after = pools_of(scene);
            now = scene.must(read_memory_counters());
            return after == before && now.pinned_kb == memory.pinned_kb;
        },
        scene.scaled(kReleaseBound));
    for (const CounterCompared& counter :
         {CounterCompared{"page pools of the interface", before.in_use, after.in_use},
          CounterCompared{"page pools of the interface that wait for pages", before.detached,
                          after.detached},
          CounterCompared{"pinned kB of the process", memory.pinned_kb, now.pinned_kb},
          CounterCompared{"locked kB of the process", memory.locked_kb, now.locked_kb}})
        scene.trace().add(counter);
}

void take_and_give_back(Scene& scene, uint32_t queue) {
    {
        Ring ring = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, ifq_on(scene, queue)));
    }
    scene.wait_for_release(queue);
}

// The runner compares the pinned pages of the machine and the pools of io_uring (I6). A pool that
// the kernel has memory for, and the driver forgot when it stopped the queue, is neither.
SCENARIO(
    bring_up, cycles,
    "a queue that is taken and given back a hundred times leaves no page pool, no pinned or "
    "locked memory and no object of the kernel, and receives",
    Terms(Needs{.where = Where::kDevice, .queues = 1}).within(180s).claims({"bring-up.cycles"})) {
    const uint32_t queue = queue_of(scene);
    scene.prepare_nic();
    // Where a driver can, so that what a queue needs to join packets is made and freed, too.
    const bool joins = static_cast<bool>(scene.nic().set_feature("rx-gro-hw", true));
    scene.note(joins ? "The NIC joins packets." : "The NIC joins no packets.");
    const MemoryCounters memory = scene.must(read_memory_counters());
    // What is made once for all is there then.
    take_and_give_back(scene, queue);
    const Pools before = pools_of(scene);
    const auto once = [&] { take_and_give_back(scene, queue); };
    if (::access(kSlabInfo, R_OK) == 0) {
        expect_leaves_no_objects(scene, "a queue taken and given back", kCycles, once);
    } else {
        scene.note("This kernel does not tell of its objects (/proc/slabinfo, CONFIG_SLUB_DEBUG).");
        for (uint32_t cycle = 0; cycle < kCycles; ++cycle) once();
    }
    compare_pools_and_memory(scene, before, memory);
    ReceivePath rx(scene, {.ifq = {.area_size = kArea}, .queue = queue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

// ---- under traffic

constexpr unsigned kRestarts = 12;
// Slow enough that a socket has room while a queue is restarted, and nobody reads.
constexpr uint64_t kRate = 4_MiB;        // bytes per second
constexpr int kRoom = 4 << 20;           // bytes, for what comes in until somebody reads
constexpr uint64_t kReceived = 512_KiB;  // of what was sent when the queue was taken already

PeerPlan traffic(uint32_t stream, uint64_t seed) {
    return {.stream = stream,
            .seed = seed,
            .total = UINT64_MAX,
            .chunks = {16000},
            .rate = kRate,
            .end = PeerEnd::kIdle};
}

// One stream, which comes in through the queue before it is taken, and goes on when it is given
// back.
void restart_twice(Scene& scene, const TcpListener& listener, uint32_t queue) {
    const uint32_t stream = scene.next_stream();
    const uint64_t seed = scene.seed(stream);
    TcpPair pair =
        scene.must(open_stream(listener, connection_ends(scene), stream, seed, scene.trace()));
    Peer peer(std::move(pair.peer), traffic(stream, seed), scene.trace());
    scene.wait_for("Nothing comes in through the queue that is to be taken.",
                   [&] { return bytes_queued(pair.receiver.get()) > 0; });
    const IfqOptions options = ifq_on(scene, queue);
    {
        Ring ring = scene.must(Ring::create());
        const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
        // What came before lies in memory of the kernel.
        const uint64_t before = peer.sent();
        scene.trace().add(CopiesExpected{.ifq = options.number, .undecided = before});
        QueueCount count(scene, *ifq);
        Receiver receiver(ring, scene.trace(), {.returns = ReturnPolicy::kHold, .hold = 64});
        scene.must(receiver.add(stream, pair.receiver.get(), *ifq, seed));
        const RunEnd end = scene.must(receiver.run(
            scene.time_left(), [&] { return receiver.total_bytes() >= before + kReceived; }));
        if (end != RunEnd::kSatisfied)
            scene.give_up("Only " + std::to_string(receiver.total_bytes()) + " of " +
                          std::to_string(before + kReceived) +
                          " bytes came in through a queue that was taken under traffic.");
        count.record(true);
        receiver.compare_held();
        receiver.finish(false);
    }
    scene.trace().add(RingClosed{options.number, true});
    scene.wait_for(
        "The provider stays on its queue.",
        [&] { return !scene.must(scene.nic().netdev().receive_queue(queue)).io_uring; },
        scene.scaled(kReleaseBound));
    peer.stop();
    // What waits in the socket keeps the pool.
    pair.receiver.reset();
    scene.wait_for_release(queue);
}

SCENARIO(bring_up, restart_under_traffic,
         "a queue that is taken while packets come in to it receives, and one that is given back "
         "while packets come in is free",
         Terms(Needs{.where = Where::kDevice, .queues = 1, .cpus = 2})
             .claims({"bring-up.restart-under-traffic"})) {
    const uint32_t queue = queue_of(scene);
    scene.prepare_nic();
    const Pools before = pools_of(scene);
    TcpOptions ends = connection_ends(scene);
    ends.receive_buffer = kRoom;
    const TcpListener listener = scene.must(tcp_listen(ends));
    scene.steer({.destination_port = listener.port, .queue = queue});
    for (unsigned round = 0; round < kRestarts; ++round) restart_twice(scene, listener, queue);
    Pools after;
    scene.becomes([&] { return (after = pools_of(scene)) == before; }, scene.scaled(kReleaseBound));
    scene.trace().add(CounterCompared{"page pools of the interface", before.in_use, after.in_use});
}

// ---- operations that fail

struct Refusal {
    const char* name;
    const char* command;  // of the driver, as the control channel has it
};
constexpr Refusal kRefusals[] = {
    {"close", "close_receive_queue"},  // ndo_queue_stop
    {"open", "open_receive_queue"},    // ndo_queue_start
};

// What a driver that its device fails returns, where a registration comes through it: errno, 0, or
// what neither of them is.
int result_of_registration(Scene& scene, uint32_t queue) {
    Ring ring = scene.must(Ring::create());
    const auto request = scene.must(IfqRequest::prepare(ifq_on(scene, queue)));
    return register_raw(ring, &request->registration);
}

// A driver may set its device up anew, or give its interface up, which the administrator then takes
// up again.
void expect_works_again(Scene& scene, uint32_t queue) {
    const std::string interface = scene.endpoints().interface;
    Links& links = scene.nic().links();
    if (!scene.must(links.get(interface)).up) {
        scene.note("the driver took the interface down");
        scene.must(links.set_up(interface, true));
        // IPv6 addresses go with the interface.
        static_cast<void>(links.add_address(interface, scene.endpoints().local_v6, 64));
    }
    scene.prepare_nic();
    int result = 0;
    EXPECT_TRUE(scene.becomes([&] { return (result = result_of_registration(scene, queue)) == 0; },
                              scene.scaled(kReleaseBound)))
        << "The queue cannot be taken any more: " << result;
    scene.wait_for_release(queue);
    ReceivePath rx(scene, {.ifq = {.area_size = kArea}, .queue = queue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

// The device does once not what the driver commands, while packets come in to the queue.
SCENARIO_TABLE(bring_up, refused,
               "a registration whose queue operation the device fails, while packets come in, is "
               "refused with an errno, and the queue can be taken afterwards",
               Terms(Needs{.where = Where::kDevice,
                           .faults = true,
                           .flow_rules = true,
                           .emulated = true,
                           .queues = 1,
                           .cpus = 2})
                   .claims({"bring-up.refused"}),
               kRefusals, row) {
    const uint32_t queue = queue_of(scene);
    scene.prepare_nic();
    {
        const uint32_t stream = scene.next_stream();
        const uint64_t seed = scene.seed(stream);
        TcpPair pair = connect_by_rule(scene, queue);
        scene.trace().add(ConnectionOpened{stream, seed, 4, pair.peer_port, pair.receiver_port});
        Peer peer(std::move(pair.peer), traffic(stream, seed), scene.trace());
        scene.wait_for("Nothing comes in through the queue that is to be taken.",
                       [&] { return bytes_queued(pair.receiver.get()) > 0; });
        refuse_commands(scene, row.command, 1);
        const int result = result_of_registration(scene, queue);
        EXPECT_LT(result, 0) << "The registration returned " << result
                             << ", and its device had failed a command of the driver.";
        EXPECT_GT(commands_refused(scene), 0U) << "The driver gave no such command.";
        scene.note("the registration was refused with " + errno_name(errno_of(result)));
        peer.stop();
        scene.trace().add(StreamFinished{stream, false});
    }
    expect_works_again(scene, queue);
}

constexpr uint32_t kRefusedTimes = 200;

// What such a registration was given is the kernel's to free (net/core/netdev_rx_queue.c:
// netdev_rx_queue_reconfig, behind err_start_queue).
SCENARIO(bring_up, refused_again,
         "a registration whose queue the device refuses to open, again and again, leaves no object "
         "of the kernel and no page pool, and the queue can be taken afterwards",
         Terms(Needs{.where = Where::kDevice, .faults = true, .emulated = true, .queues = 1})
             .within(180s)
             .claims({"bring-up.refused"})) {
    const uint32_t queue = queue_of(scene);
    scene.prepare_nic();
    if (::access(kSlabInfo, R_OK) != 0)
        scene.give_up("This kernel does not tell of its objects (/proc/slabinfo).");
    const MemoryCounters memory = scene.must(read_memory_counters());
    const Pools before = pools_of(scene);
    expect_leaves_no_objects(scene, "a queue that its device refuses to open", kRefusedTimes, [&] {
        refuse_commands(scene, "open_receive_queue", 1);
        EXPECT_LT(result_of_registration(scene, queue), 0);
        EXPECT_GT(commands_refused(scene), 0U) << "The driver gave no such command.";
    });
    compare_pools_and_memory(scene, before, memory);
    expect_works_again(scene, queue);
}

// ---- a device that answers no more

// A driver waits for each answer in vain, and has several commands for each of its rings.
constexpr auto kSilenceBound = 60s;  // on a machine of the usual speed

// Takes a ring away from a queue whose device answers no command, while packets come in to it.
void close_unanswered(Scene& scene, uint32_t queue) {
    ReceivePath rx(scene, {.ifq = {.area_size = kArea},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = 64},
                           .queue = queue,
                           .steer = false,
                           .uncounted = Uncounted::kNothingArrives});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .rate = kRate});
    steer_until_gone(scene, local_port(scene, rx.socket(stream)), queue);
    rx.peer(stream).send_more(1U << 30);
    rx.receive(kReceived);
    leave_commands_unanswered(scene);
    rx.receive(2 * kReceived);
    rx.abandon();
    rx.close_ring();
    scene.wait_for(
        "The provider stays on the queue of a device that answers no more.",
        [&] { return !scene.must(scene.nic().netdev().receive_queue(queue)).io_uring; },
        scene.scaled(kSilenceBound));
    EXPECT_GT(commands_refused(scene), 0U) << "The driver gave no command.";
    rx.peer(stream).stop();
}

// What a driver cannot take back from its device is with the device until that is reset, as it is
// when the driver lets go of it; only then does it answer again.
SCENARIO(bring_up, unanswered,
         "a ring whose device answers its driver no more closes in bounded time while packets come "
         "in, and leaves neither page pool nor memory when the device is reset",
         Terms(Needs{.where = Where::kDevice,
                     .faults = true,
                     .flow_rules = true,
                     .outages = true,
                     .emulated = true,
                     .queues = 1,
                     .cpus = 2})
             .within(180s)
             .claims({"bring-up.unanswered"})) {
    const uint32_t queue = queue_of(scene);
    scene.prepare_nic();
    DeviceRemoval departure(scene, DeviceRemoval::How::kUnbound);
    const Pools pools = pools_of(scene);
    const MemoryCounters memory = scene.must(read_memory_counters());
    close_unanswered(scene, queue);
    departure.leave();
    answer_commands(scene);
    departure.come_back();
    compare_pools_and_memory(scene, pools, memory);
    ReceivePath rx(scene, {.ifq = {.area_size = kArea}, .queue = queue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::bring_up
