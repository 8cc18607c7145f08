// Chapter teardown: what a ring leaves behind when it goes, and devices that change under it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <thread>

#include "harness/net/counters.hpp"
#include "scenarios/chapters/tcp_segments.hpp"
#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/interface_down.hpp"
#include "scenarios/framework/surroundings/placement.hpp"

namespace zcrxlab::teardown {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kQueue = 1;
// Slow enough that sockets have room, so that what a peer sends goes on coming in when nobody
// receives any more.
constexpr uint64_t kSteadyRate = 16_MiB;     // bytes per second
constexpr auto kPoolIsLookedAfter = 1200ms;  // of the guest's clock, which the kernel goes by
constexpr auto kReleaseBound = 5s;           // promised, on a machine of the usual speed

// The queue is free, and another ring receives through it as if nothing had been.
void use_again(Scene& scene, bool wait = true) {
    if (wait && scene.has_device()) scene.wait_for_release(kQueue);
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}, .queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    rx.measure_capacity();
}

uint16_t port_of(int socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

// Until no provider is on the queue, whatever its page pool still waits for.
void wait_for_queue(Scene& scene) {
    if (!scene.has_device()) return;
    scene.wait_for(
        "The provider stays on its queue.",
        [&] { return !scene.must(scene.nic().netdev().receive_queue(kQueue)).io_uring; },
        scene.scaled(kReleaseBound));
}

// ---- close

struct Close {
    const char* name;
    bool armed = true;
    uint64_t bytes = 1_MiB;  // 0: for ever
    uint64_t received = 1_MiB;
    ReturnPolicy returns = ReturnPolicy::kAtOnce;
    uint32_t limit = 0;       // of each request, which cuts what is in a buffer into several CQEs
    bool ring_first = false;  // its peer goes on sending
};
constexpr Close kCloses[] = {
    {"idle_request", true, 1, 1},
    {"buffers_returned", true, 1_MiB, 1_MiB},
    {"buffers_held", true, 1_MiB, 1_MiB, ReturnPolicy::kNever},
    {"buffers_held_in_pieces", true, 300000, 300000, ReturnPolicy::kNever, 300},
    {"data_in_flight", true, UINT64_MAX, 1_MiB, ReturnPolicy::kAtOnce, 0, true},
    {"data_in_flight_and_buffers_held", true, UINT64_MAX, 1_MiB, ReturnPolicy::kNever, 0, true},
    {"data_in_socket", false, 60000, 0},
    {"nothing_at_all", false, 0, 0},
};

SCENARIO_TABLE(teardown, close, "a closed ring frees its queue, which can be registered again",
               Terms(Needs{.queues = 1, .cpus = 2})
                   .claims({"teardown.close", "teardown.again", "teardown.held-buffers"}),
               kCloses, row) {
    {
        ReceivePath rx(scene, {.receiver = {.returns = row.returns, .limit = row.limit},
                               .queue = kQueue,
                               .left_armed = true});
        StreamPlan plan;
        plan.bytes = row.bytes;
        plan.end = PeerEnd::kIdle;
        plan.armed = row.armed;
        if (row.ring_first) plan.rate = kSteadyRate;
        const uint32_t stream = rx.connect(plan);
        if (row.armed)
            rx.receive(row.received);
        else
            rx.wait_for_queued(stream, row.bytes);
        if (row.ring_first) {
            rx.close_ring();
            wait_for_queue(scene);
        }
        rx.peer(stream).stop();
        scene.trace().add(StreamFinished{stream, false});
    }
    use_again(scene);
}

// So many bytes wait in a socket when its ring closes, and of the first buffer the user has the
// begin.
void outlive_ring(Scene& scene, uint64_t bytes, uint32_t held) {
    Fd socket;
    const int64_t pinned = scene.must(read_memory_counters()).pinned_pages;
    {
        ReceivePath rx(
            scene, {.receiver = {.returns = ReturnPolicy::kNever, .limit = held, .rearm = false},
                    .queue = kQueue});
        const uint32_t stream = rx.connect({.bytes = bytes, .end = PeerEnd::kIdle, .armed = false});
        rx.wait_for_queued(stream, bytes);
        if (held != 0) {
            rx.arm(stream);
            rx.receive(held);
        }
        socket = Fd(::dup(rx.socket(stream)));
        scene.trace().add(StreamFinished{stream, false});
    }
    wait_for_queue(scene);
    {
        ReceivePath rx(scene, {.queue = kQueue});
        rx.connect({.bytes = 1_MiB});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    }
    // The kernel looks after a pool that waits once in a second (page_pool.c:DEFER_TIME), and says
    // nothing of it before a minute is over. It would in the log.
    std::this_thread::sleep_for(kPoolIsLookedAfter);
    if (scene.has_device()) {
        EXPECT_GT(scene.must(read_memory_counters()).pinned_pages, pinned)
            << "pages are pinned: the area is gone, and the socket has a part of it.";
    }
    socket.reset();
}

SCENARIO(teardown, socket_outlives_ring,
         "data that waits in a socket keeps its memory, but neither the queue nor its next user",
         Terms(Needs{.queues = 1}).claims({"teardown.socket-buffers", "teardown.again"})) {
    outlive_ring(scene, 60000, 0);
}

// On a device: what is copied out of a socket leaves nothing of itself there. All is in one buffer,
// which alone keeps the area.
SCENARIO(teardown, part_of_buffer_outlives_ring,
         "a buffer of which the user has one part and a socket the other goes back once, and not "
         "before the socket gave up its part",
         Terms(Needs{.where = Where::kDevice, .queues = 1})
             .claims({"teardown.socket-buffers", "teardown.held-buffers"})) {
    outlive_ring(scene, 1000, 300);
}

// A socket that is closed with nothing to be read lives on until its FIN is acknowledged, and what
// waits behind a hole lives as long.
SCENARIO(teardown, hole_in_closed_socket,
         "what waits behind a lost segment of a closed socket keeps its memory until its peer "
         "answers, but neither the queue nor its next user",
         Terms(Needs{.where = Where::kDevice, .queues = 1})
             .claims({"teardown.socket-buffers", "teardown.again"})) {
    auto rx = std::make_unique<ReceivePath>(
        scene, ReceivePathOptions{.queue = kQueue, .uncounted = Uncounted::kInSockets});
    const uint32_t stream = rx->connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    SegmentSource source(scene, *rx, stream);
    rx->arm(stream);
    for (int64_t behind = 1000; behind < 5000; behind += 1000)
        source.send({.from = behind, .length = 1000});
    // When this has come, the others have; and its peer, which knows nothing of it, will not
    // answer a FIN.
    source.send({.from = 0, .length = 100});
    rx->receive(100);
    const linger by_itself{0, 0};
    ::setsockopt(rx->socket(stream), SOL_SOCKET, SO_LINGER, &by_itself, sizeof by_itself);
    scene.trace().add(StreamFinished{stream, false});
    rx.reset();
    wait_for_queue(scene);
    {
        ReceivePath next(scene, {.queue = kQueue});
        next.connect({.bytes = 1_MiB});
        next.receive_all();
        EXPECT_EQ(next.receiver().total_bytes(), 1_MiB);
    }
    wait_for_queue(scene);
    const auto pools = scene.must(scene.nic().netdev().page_pools());
    EXPECT_TRUE(std::any_of(pools.begin(), pools.end(), [](const PagePool& pool) {
        return pool.io_uring && pool.detach_time && pool.inflight > 0;
    })) << "nothing was kept, so that this shows nothing";
    source.send({.from = 100, .flags = kTcpReset});
}

SCENARIO(teardown, one_after_the_other, "four rings in a row leave no trace of themselves",
         Terms(Needs{.queues = 1}).claims({"teardown.again", "teardown.accounting"})) {
    for (int i = 0; i < 4; ++i) {
        {
            ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}, .queue = kQueue});
            const uint32_t stream = rx.connect({.bytes = 100000, .end = PeerEnd::kIdle});
            rx.receive(100000);
            EXPECT_GT(rx.receiver().held(), 0U) << stream;
            rx.abandon();
        }
        if (scene.has_device()) scene.wait_for_release(kQueue);
    }
    use_again(scene, false);
}

SCENARIO(teardown, at_once, "registering again without waiting succeeds within 5 s",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"teardown.again"})) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}, .queue = kQueue});
    rx.connect({.bytes = UINT64_MAX, .end = PeerEnd::kIdle, .rate = kSteadyRate});
    rx.receive(1_MiB);
    rx.abandon();
    rx.close_ring();
    Ring ring = scene.must(Ring::create());
    IfqOptions options;
    options.interface = scene.endpoints().interface;
    options.queue = kQueue;
    options.area_size = 8_MiB;
    scene.wait_for(
        "The queue stays taken.",
        [&] {
            auto opened = Ifq::open(ring, options);
            if (!opened && opened.error().code != EEXIST) scene.give_up(opened.error().sentence);
            return static_cast<bool>(opened);
        },
        scene.scaled(kReleaseBound));
}

constexpr uint64_t kSendData = 7;

// Its bytes are acknowledged by nobody: the peer never gets them, or does not read.
SCENARIO(teardown, unacked_send,
         "a zero-copy send that waits to be acknowledged does not keep the queue",
         Terms(Needs{.queues = 1, .cpus = 2}).claims({"teardown.unacked-send", "teardown.again"})) {
    static std::vector<std::byte> bytes(256 << 10);
    Fd socket;
    {
        ReceivePath rx(scene, {.queue = kQueue});
        const uint32_t stream = rx.connect({.bytes = 1, .end = PeerEnd::kIdle});
        rx.receive(1);
        if (scene.target().abilities().faults)
            scene.inject({.what = FaultKind::kDrop,
                          .port = 1,
                          .match = {.protocol = FaultProtocol::kTcp,
                                    .payload = true,
                                    .source_port = port_of(rx.socket(stream))}});
        io_uring_sqe& entry = *scene.must(rx.ring().next_sqe());
        entry.opcode = IORING_OP_SEND_ZC;
        entry.fd = rx.socket(stream);
        entry.addr = reinterpret_cast<uintptr_t>(bytes.data());
        entry.len = static_cast<uint32_t>(bytes.size());
        entry.user_data = kSendData;
        rx.receiver().expect_other(kSendData, "send_zc");
        std::vector<Completion> seen;
        scene.must(rx.receiver().run(scene.time_left(), [&] {
            for (const Completion& cqe : rx.receiver().take_other()) seen.push_back(cqe);
            return !seen.empty();
        }));
        ASSERT_EQ(seen.size(), 1U) << "the notification came at once";
        EXPECT_GT(seen[0].result, 0);
        EXPECT_NE(seen[0].flags & uapi::kCqeMore, 0U) << "there is no notification to wait for";
        socket = Fd(::dup(rx.socket(stream)));
        rx.abandon();
    }
    use_again(scene);
    // The ring's memory stays pinned for as long as its send waits.
    const linger at_once{1, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// ---- processes

constexpr uint32_t kIfqOfChild = 100;

// What a process of its own does: registers, receives, holds some of it, tells by a byte each that
// it can receive and that it holds, and goes on. What it has received until it tells that it holds
// is `counted`: nobody can count what it receives until its queue is no longer its own.
void receive_until_killed(Scene& own, int socket, uint32_t stream, int tell, bool counted) {
    constexpr uint32_t kHeld = 64;
    IfqOptions options;
    options.number = kIfqOfChild;
    if (own.has_device()) {
        options.interface = own.endpoints().interface;
        options.queue = kQueue;
    }
    Ring ring = own.must(Ring::create());
    const auto ifq = own.must(Ifq::open(ring, options, &own.trace()));
    QueueCount count(own, *ifq);
    Receiver receiver(ring, own.trace(), {.returns = ReturnPolicy::kHold, .hold = kHeld});
    own.must(receiver.add(stream, socket, *ifq, own.seed(stream)));
    bool told = ::write(tell, "r", 1) != 1;
    own.must(receiver.run(own.time_left(), [&] {
        if (told || receiver.held() < kHeld) return false;
        if (counted) count.record(true);
        told = ::write(tell, "h", 1) == 1;
        return false;
    }));
}

struct Death {
    const char* name;
    int signal;
};
constexpr Death kDeaths[] = {{"sigkill", SIGKILL}, {"sigterm", SIGTERM}, {"sigsegv", SIGSEGV}};

SCENARIO_TABLE(teardown, killed,
               "a process that is killed while it receives and holds buffers frees its queue",
               Terms(Needs{.queues = 1, .cpus = 2}).claims({"teardown.kill", "teardown.again"}),
               kDeaths, row) {
    const Endpoints& ends = scene.endpoints();
    const TcpOptions tcp = {
        .local = ends.local_v4, .peer = ends.peer_v4, .peer_namespace = ends.peer_namespace};
    const TcpListener listener = scene.must(tcp_listen(tcp));
    if (scene.has_device()) {
        scene.prepare_nic();
        scene.steer({.destination_port = listener.port, .queue = kQueue});
    }
    PeerPlan plan;
    plan.stream = scene.next_stream();
    plan.seed = scene.seed(plan.stream);
    plan.total = UINT64_MAX;
    plan.rate = kSteadyRate;
    plan.end = PeerEnd::kReset;
    TcpPair pair = scene.must(open_stream(listener, tcp, plan.stream, plan.seed, scene.trace()));
    int tell[2] = {-1, -1};
    ASSERT_EQ(::pipe2(tell, O_CLOEXEC), 0);
    const bool counted = scene.has_device() && !scene.target().abilities().dma_log;
    const pid_t child = fork_scene([&](Scene& own) {
        pair.peer.reset();
        receive_until_killed(own, pair.receiver.get(), plan.stream, tell[1], counted);
    });
    ASSERT_GE(child, 0);
    ::close(tell[1]);
    char told = 0;
    EXPECT_EQ(::read(tell[0], &told, 1), 1) << "The receiving process did not come to receiving.";
    // What came in before would be copied.
    Peer peer(std::move(pair.peer), plan, scene.trace());
    EXPECT_EQ(::read(tell[0], &told, 1), 1) << "The receiving process ended by itself.";
    ::close(tell[0]);
    ASSERT_EQ(::kill(child, row.signal), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == row.signal)
        << "It was not the signal that ended the receiving process: wait status " << status << ".";
    if (told != 0) scene.trace().add(RingClosed{kIfqOfChild, true});
    // The peer still sends, into the socket that this process has, too.
    wait_for_queue(scene);
    peer.stop();
    scene.trace().add(StreamFinished{plan.stream, false});
    pair = {};
    use_again(scene);
}

// A mapping of a ring keeps it open as a descriptor does.
void unmap_rings() {
    std::ifstream maps("/proc/self/maps");
    std::vector<std::pair<uintptr_t, uintptr_t>> rings;
    for (std::string line; std::getline(maps, line);) {
        unsigned long from = 0, to = 0;
        if (line.find("[io_uring]") != std::string::npos &&
            std::sscanf(line.c_str(), "%lx-%lx", &from, &to) == 2)
            rings.emplace_back(from, to);
    }
    for (const auto& [from, to] : rings) ::munmap(reinterpret_cast<void*>(from), to - from);
}

SCENARIO(teardown, forked,
         "a child that closed and unmapped what it inherited does not keep the queue",
         Terms(Needs{.queues = 1, .cpus = 2}).claims({"teardown.fork", "teardown.again"})) {
    pid_t child = -1;
    {
        ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}, .queue = kQueue});
        rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
        rx.receive(1_MiB);
        rx.abandon();
        child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            unmap_rings();
            ::close_range(0, ~0U, 0);
            for (;;) ::pause();
        }
    }
    use_again(scene);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
}

// ---- changes of the device

// A driver that comes up receives before it has steered again (bnxt: __bnxt_open_nic makes the flow
// rules last). What went to another queue meanwhile is copied, unless it had come before, or came
// again to the right one before the kernel looked: of the two, TCP keeps one.
void tell_what_went_elsewhere(Scene& scene, ReceivePath& rx, uint32_t stream, uint64_t bytes) {
    if (!scene.target().abilities().dma_log) return;
    const Placement placed = placement_of(scene, rx.socket(stream), bytes);
    const CopiesExpected copies = placed.copies_for(rx.ifq().number(), kQueue);
    if (const uint64_t elsewhere = copies.bytes + copies.undecided; elsewhere != 0)
        scene.trace().add(CopiesExpected{.ifq = copies.ifq, .undecided = elsewhere});
}

// While a stream runs and some of its buffers are held.
void change_in_mid_stream(Scene& scene, const std::function<void()>& change, bool steer = true) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kHold, .hold = 200},
                           .queue = kQueue,
                           .steer = steer});
    const uint32_t stream = rx.connect({.bytes = 4_MiB, .rate = 4_MiB});
    rx.receive(1_MiB);
    scene.read_dma_log();
    change();
    counts_start_over(scene, rx, {stream});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 4_MiB);
    tell_what_went_elsewhere(scene, rx, stream, 4_MiB);
    rx.measure_capacity();
}

SCENARIO(teardown, link_flap, "a link that goes down and up again costs neither byte nor buffer",
         Terms(Needs{.where = Where::kDevice, .faults = true, .outages = true, .queues = 1})
             .claims({"teardown.link"})) {
    change_in_mid_stream(scene, [&scene] {
        set_link(scene, false);
        std::this_thread::sleep_for(scene.scaled(50ms));
        set_link(scene, true);
    });
}

SCENARIO(teardown, interface_down,
         "an interface that is taken down and up again costs neither byte nor held buffer",
         Terms(Needs{.where = Where::kDevice, .disruptive = true, .queues = 1})
             .claims({"teardown.link"})) {
    change_in_mid_stream(scene, [&scene] { while_down(scene, [] {}); });
}

// The driver has no queue then that it could stop or start. Nothing was received: a packet that
// another processor has to free may wait there for the next one, and holds the area.
SCENARIO(teardown, closed_while_down,
         "a ring that closes while its interface is down frees its queue",
         Terms(Needs{.where = Where::kDevice, .disruptive = true, .queues = 1})
             .claims({"teardown.close"})) {
    const int64_t before = scene.must(read_memory_counters()).pinned_kb;
    {
        ReceivePath rx(scene, {.queue = kQueue, .uncounted = Uncounted::kNothingArrives});
        while_down(scene, [&] {
            rx.close_ring();
            scene.wait_for("The ring keeps its area.",
                           [&] { return scene.must(read_memory_counters()).pinned_kb <= before; });
        });
    }
    scene.wait_for_release(kQueue);
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
}

SCENARIO(teardown, ring_size, "changing the size of the receive ring costs neither byte nor buffer",
         Terms(Needs{.where = Where::kDevice, .queues = 1}).claims({"teardown.ring-size"})) {
    const uint32_t before = scene.must(scene.nic().ethtool().rings()).rx.value_or(0);
    const uint32_t after = before >= 512 ? before / 2 : before * 2;
    change_in_mid_stream(scene, [&] { scene.must(scene.nic().set_ring_sizes(after, 0)); });
}

}  // namespace
}  // namespace zcrxlab::teardown
