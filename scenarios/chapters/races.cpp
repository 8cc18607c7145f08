// Chapter races: two paths of the kernel on two processors at once, again and again. How often, and
// at which moments, follows from the seed; how often they met is no claim and is noted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/errno_name.hpp"
#include "harness/base/mapping.hpp"
#include "scenarios/framework/process.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/multi_ifq_ring.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::races {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kMostTurns = 64;  // of a processor that is given away
constexpr unsigned kFlushes = 256;
constexpr size_t kMostAreas = 1024;  // ZCRX_MAX_AREAS

// ---- the refill ring

// The driver takes entries of the refill ring when it wants buffers, and FLUSH_RQ takes them when
// it is asked to; both end a buffer's way to the user. A ring belongs to its task, so that the
// flushes come through an import.
// How many flushes there were while 32 MiB came.
uint64_t flush_beside(Scene& scene, ReceivePath& rx, bool pausing) {
    const Fd box = scene.must(rx.ifq().export_box());
    std::atomic<bool> done{false};
    std::atomic<uint64_t> flushes{0};
    std::thread flusher([&] {
        Ring importer = scene.must(Ring::create());
        const uint32_t id = scene.must(import_box(importer, box.get()));
        while (!done) {
            scene.must(rx.ifq().flush_through(importer, id));
            ++flushes;
            if (pausing) std::this_thread::yield();
        }
    });
    for (int i = 0; i < 4; ++i) {
        const uint32_t stream = rx.connect({.bytes = 8_MiB, .chunks = {9999}});
        // What the flusher takes before we look at the ring was in it when the kernel found no
        // buffer.
        scene.trace().add(EndMeant{stream, -ENOMEM, "entries were flushed behind the end"});
    }
    rx.receive_all();
    done = true;
    flusher.join();
    EXPECT_EQ(rx.receiver().total_bytes(), 32_MiB);
    return flushes;
}

const Needs kFlusher{.queues = 1, .cpus = 2, .features = {Feature::kFlushRq, Feature::kExport}};

SCENARIO(races, refill_against_flush,
         "buffers that come back while another thread flushes through an import come back once",
         Terms(kFlusher).claims({"races.refill-flush"})) {
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}});
    const uint64_t flushes = flush_beside(scene, rx, true);
    EXPECT_GT(flushes, 0U);
    scene.note("flushed " + std::to_string(flushes) + " times while 32 MiB came");
    rx.measure_capacity();
}

// The ring is that of the driver's own size at most, so that it wraps all the time.
SCENARIO(races, small_ring_against_flush,
         "buffers that come back through a refill ring of 64 entries while another thread flushes "
         "without a pause come back once",
         Terms(kFlusher).claims({"races.refill-flush"})) {
    ReceivePath rx(scene, {.ifq = {.rq_entries = 64, .area_size = 6_MiB}});
    const uint64_t flushes = flush_beside(scene, rx, false);
    EXPECT_GT(flushes, 0U);
    scene.note("flushed " + std::to_string(flushes) + " times while 32 MiB came");
    rx.measure_capacity();
}

// Whoever fills the ring again as it is emptied does not keep who flushes: FLUSH_RQ takes as many
// entries as the ring has at most. Each is of a buffer that nobody has, and gives nothing back.
SCENARIO(
    races, flush_against_refilling,
    "FLUSH_RQ ends when it has taken as many entries as the ring has, while another thread fills "
    "it again and again",
    Terms(Needs{.cpus = 2, .features = {Feature::kNodev, Feature::kFlushRq}})
        .claims({"races.flush-ends"})) {
    constexpr uint32_t kEntries = 256;
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = 16 * kPageSize;
    options.rq_entries = kEntries;
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
    RefillRing& refill = ifq->refill();
    refill.publish_tail(kEntries);
    std::atomic<bool> done{false};
    std::thread filler([&] {
        while (!done) refill.publish_tail(refill.head() + kEntries);
    });
    uint64_t taken_in_all = 0;
    for (unsigned round = 0; round < kFlushes && !::testing::Test::HasFailure(); ++round) {
        while (refill.tail() == refill.head()) std::this_thread::yield();
        const uint32_t before = refill.head();
        scene.must(ifq->flush());
        const uint32_t taken = refill.head() - before;
        EXPECT_LE(taken, kEntries) << "A flush took more than the ring holds.";
        taken_in_all += taken;
    }
    done = true;
    filler.join();
    EXPECT_GT(taken_in_all, 0U) << "No flush took anything.";
    scene.note(std::to_string(taken_in_all) + " entries were taken by " + std::to_string(kFlushes) +
               " flushes");
}

// ---- the refill ring of somebody who is gone

constexpr unsigned kKills = 4;
constexpr uint32_t kQueue = 1;
constexpr auto kReleaseBound = 5s;  // promised, on a machine of the usual speed

// Until no provider is on the queue, whatever lies in sockets.
void wait_for_queue(Scene& scene) {
    if (!scene.has_device()) return;
    scene.wait_for(
        "The provider stays on its queue.",
        [&] { return !scene.must(scene.nic().netdev().receive_queue(kQueue)).io_uring; },
        scene.scaled(kReleaseBound));
}

// What an owner that is about to be killed tells of its refill ring.
struct Told {
    uapi::ZcrxOffsets offsets;
    uint32_t entries;
    uint32_t buffers;
};

// Receives through an ifq whose refill ring lies in `region`, and gives nothing back by itself.
void receive_until_killed(Scene& own, int socket, Mapping region, int tell) {
    IfqOptions options;
    options.area_size = 6_MiB;
    if (own.has_device()) {
        options.interface = own.endpoints().interface;
        options.queue = kQueue;
    }
    auto request = own.must(IfqRequest::prepare(options));
    request->region_memory = std::move(region);
    request->region.user_address = reinterpret_cast<uintptr_t>(request->region_memory.data());
    request->region.size = request->region_memory.size();
    Ring ring = own.must(Ring::create());
    const auto ifq = own.must(Ifq::open(ring, std::move(request)));
    const Told told{ifq->registration().offsets, ifq->registration().rq_entries,
                    static_cast<uint32_t>(ifq->buffers())};
    if (::write(tell, &told, sizeof told) != sizeof told) return;
    std::vector<Completion> batch;
    bool armed = false, delivered = false;
    for (;;) {
        if (!armed) {
            io_uring_sqe& sqe = *own.must(ring.next_sqe());
            sqe.opcode = uapi::kOpRecvZc;
            sqe.fd = socket;
            sqe.ioprio = uapi::kRecvMultishot;
            sqe.splice_fd_in = static_cast<int32_t>(ifq->zcrx_id());
        }
        armed = true;
        static_cast<void>(own.must(ring.wait(own.scaled(100ms))));
        batch.clear();
        ring.reap(batch);
        for (const Completion& cqe : batch)
            if ((cqe.flags & uapi::kCqeMore) == 0) armed = false;
        if (!delivered && !batch.empty()) delivered = ::write(tell, "d", 1) == 1;
    }
}

// Entries for any buffers, whoever holds them, until `done`: how many.
uint64_t publish_until(const std::atomic<bool>& done, std::byte* region, const Told& told,
                       uint64_t seed) {
    std::mt19937_64 random(seed);
    RefillRing refill(region, told.offsets, told.entries);
    uint64_t published = 0;
    while (!done) {
        for (int i = 0; i < 16; ++i)
            if (refill.push(random() % told.buffers * kPageSize, 1)) ++published;
        refill.publish();
    }
    return published;
}

// Its memory is shared, so that it is there for the one process when the other is gone. What is
// received is looked at by nobody: it may be given back at any moment.
SCENARIO(races, refill_against_scrub,
         "a process that goes on publishing refill entries while their owner is killed harms "
         "neither the queue nor its next user",
         Terms(Needs{.queues = 1, .cpus = 2}).claims({"races.refill-scrub"})) {
    std::mt19937_64 random(scene.seed());
    if (scene.has_device()) scene.prepare_nic();
    uint64_t published = 0;
    for (unsigned round = 0; round < kKills; ++round) {
        Mapping region =
            scene.must(Mapping::map(64_KiB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS));
        std::byte* shared = region.data();
        TcpPair pair = connect_by_rule(scene, kQueue);
        std::array<int, 2> tell{};
        ASSERT_EQ(::pipe2(tell.data(), O_CLOEXEC), 0);
        const pid_t child = fork_scene([&](Scene& own) {
            pair.peer.reset();
            receive_until_killed(own, pair.receiver.get(), std::move(region), tell[1]);
        });
        ASSERT_GE(child, 0);
        ::close(tell[1]);
        Told told{};
        ASSERT_EQ(::read(tell[0], &told, sizeof told), static_cast<ssize_t>(sizeof told))
            << "The owner did not come to receiving.";
        std::atomic<bool> done{false};
        std::thread sender([&] {
            const std::vector<std::byte> bytes(16_KiB);
            while (!done && ::send(pair.peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) {
            }
        });
        std::thread publisher(
            [&, seed = random()] { published += publish_until(done, shared, told, seed); });
        char delivered = 0;
        EXPECT_EQ(::read(tell[0], &delivered, 1), 1) << "The owner received nothing.";
        ::close(tell[0]);
        for (uint64_t turns = random() % kMostTurns; turns > 0; --turns) std::this_thread::yield();
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        wait_for_queue(scene);
        done = true;
        // A sender that waits for room in the window wakes up.
        ::shutdown(pair.peer.get(), SHUT_RDWR);
        sender.join();
        publisher.join();
        pair = {};
        if (scene.has_device()) scene.wait_for_release(kQueue);
    }
    scene.note("published " + std::to_string(published) + " entries");
    EXPECT_GT(published, 0U);
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

// ---- the end of a ring

constexpr unsigned kCloses = 4;
constexpr unsigned kStreams = 32;

// The moment is one of the stream, not of the clock.
SCENARIO(races, close_against_receive,
         "a ring that is closed while 32 streams receive frees its queue and leaves no pool",
         Terms(Needs{.queues = 1, .cpus = 2}).claims({"races.close-receive"})) {
    std::mt19937_64 random(scene.seed());
    for (unsigned round = 0; round < kCloses; ++round) {
        ReceivePath rx(scene, {.queue = kQueue, .left_armed = true});
        std::vector<uint32_t> streams;
        for (unsigned i = 0; i < kStreams; ++i)
            streams.push_back(
                rx.connect({.bytes = UINT64_MAX, .end = PeerEnd::kIdle, .rate = 128_KiB}));
        rx.receive(1 + random() % 512_KiB);
        rx.close_ring();
        wait_for_queue(scene);
        for (const uint32_t stream : streams) {
            rx.peer(stream).stop();
            scene.trace().add(StreamFinished{stream, false});
        }
    }
    // What waited in the sockets went with them.
    if (scene.has_device()) scene.wait_for_release(kQueue);
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

// ---- the end of a stream

constexpr unsigned kShortStreams = 48;

// The byte, the FIN and the request come in any order: the request finds both, or waits and is
// woken by the one and the other, or by both at once.
SCENARIO(races, request_against_fin,
         "a request beside a byte and a FIN ends once, with the byte and with the end",
         Terms(Needs{.queues = 1, .cpus = 2}).claims({"races.request-fin"})) {
    std::mt19937_64 random(scene.seed());
    ReceivePath rx(scene);
    std::vector<uint32_t> streams;
    for (unsigned i = 0; i < kShortStreams; ++i) {
        streams.push_back(rx.connect({.bytes = 1, .armed = false}));
        for (uint64_t turns = random() % kMostTurns; turns > 0; --turns) std::this_thread::yield();
        rx.arm(streams.back());
    }
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), kShortStreams);
    for (const uint32_t stream : streams)
        EXPECT_EQ(rx.receiver().state(stream).final_cqes, 1U) << "of stream " << stream;
}

// ---- a cancel

constexpr unsigned kCancels = 64;

// Nobody gives a buffer back, so that a request ends for want of one, is cancelled, or both at
// once.
SCENARIO(
    races, cancel_against_last_buffer,
    "a request that is cancelled while a copy takes the last buffer ends once, and no byte is "
    "lost",
    Terms(Needs{.cpus = 2, .features = {Feature::kNodev}}).claims({"races.cancel-last-buffer"})) {
    std::mt19937_64 random(scene.seed());
    ReceivePath rx(scene, {.ifq = {.area_size = 8 * kPageSize},
                           .receiver = {.returns = ReturnPolicy::kNever},
                           .nodev = true});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle});
    const StreamState& state = rx.receiver().state(stream);
    unsigned cancelled = 0;
    for (unsigned round = 0; round < kCancels; ++round) {
        rx.peer(stream).send_more(10 * kPageSize);
        for (uint64_t turns = random() % kMostTurns; turns > 0; --turns) std::this_thread::yield();
        if (state.armed) scene.must(rx.receiver().cancel(stream));
        scene.must(rx.receiver().run(scene.time_left(), [&] { return !state.armed; }));
        ASSERT_EQ(state.final_cqes, state.requests);
        ASSERT_TRUE(state.final_result == -ECANCELED || state.final_result == -ENOMEM)
            << "The request ended with " << state.final_result << ".";
        cancelled += state.final_result == -ECANCELED ? 1 : 0;
        scene.must(rx.receiver().return_held());
        scene.must(rx.receiver().flush(rx.ifq()));
        scene.must(rx.receiver().arm(stream));
    }
    scene.note(std::to_string(cancelled) + " of " + std::to_string(kCancels) + " were cancelled");
    rx.receiver().options().returns = ReturnPolicy::kAtOnce;
    rx.receive(kCancels * 10 * kPageSize);
    rx.abandon();
}

// ---- areas

// What gives areas to an exported instance until it is refused: the ids that it was told, and the
// errno of the refusal. Each area is of the page `memory`.
struct AreasAdded {
    std::vector<uint64_t> ids;
    int refusal = 0;
};

AreasAdded add_areas_through(Ring& importer, uint32_t zcrx_id, const AreaMemory& memory) {
    AreasAdded added;
    while (added.refusal == 0 && added.ids.size() < kMostAreas) {
        uapi::ZcrxAreaReg area{};
        area.address = reinterpret_cast<uintptr_t>(memory.data());
        area.length = memory.size();
        uapi::ZcrxCtrl control{};
        control.zcrx_id = zcrx_id;
        control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kAddArea);
        control.add.area = reinterpret_cast<uintptr_t>(&area);
        added.refusal = errno_of(control_raw(importer, control));
        if (added.refusal == 0) added.ids.push_back(area.token >> uapi::kZcrxAreaShift);
    }
    return added;
}

// The kernel takes buffers from the first area that has some, so that the one of the stream is
// large enough for all that waits in sockets, and for what comes while this thread has no
// processor: what is received lies in no area that this does not know. The CQ has room for all of
// it.
SCENARIO(
    races, areas_against_areas,
    "two threads that add areas through imports of their own, up to the last of 1024, are told "
    "each id once, and cost a stream beside them no byte",
    Terms(Needs{.cpus = 2, .features = {Feature::kAddArea, Feature::kExport}})
        .claims({"races.add-areas"})) {
    constexpr size_t kThreads = 2;
    ReceivePath rx(scene, {.ring = {.cq_entries = 16384}, .ifq = {.area_size = 16_MiB}});
    const Fd box = scene.must(rx.ifq().export_box());
    const AreaMemory page = scene.must(AreaMemory::allocate(AreaKind::kAnonymous, kPageSize));
    rx.connect({.bytes = UINT64_MAX, .end = PeerEnd::kReset, .rate = 8_MiB});
    rx.receive(1_MiB);
    std::array<AreasAdded, kThreads> added;
    std::atomic<size_t> ended{0};
    std::vector<std::thread> threads;
    for (AreasAdded& one : added) {
        threads.emplace_back([&] {
            Ring importer = scene.must(Ring::create());
            one = add_areas_through(importer, scene.must(import_box(importer, box.get())), page);
            ++ended;
        });
    }
    scene.must(rx.receiver().run(scene.time_left(), [&] { return ended == kThreads; }));
    for (std::thread& thread : threads) thread.join();
    const uint64_t beside = rx.receiver().total_bytes();
    rx.receive(beside + 1_MiB);
    rx.abandon();

    std::set<uint64_t> ids;
    for (const AreasAdded& one : added) {
        scene.returned("ADD_AREA beside 1024 areas", EINVAL, one.refusal);
        for (const uint64_t id : one.ids)
            EXPECT_TRUE(ids.insert(id).second) << id << " came twice.";
    }
    ASSERT_EQ(ids.size(), kMostAreas - 1);
    EXPECT_EQ(*ids.rbegin(), kMostAreas - 1);
    scene.note(std::to_string(added[0].ids.size()) + " areas of one and " +
               std::to_string(added[1].ids.size()) + " of the other, while " +
               std::to_string(beside - 1_MiB) + " bytes came");
}

// ---- the region of a refill ring

constexpr unsigned kRegistrations = 32;
constexpr uint64_t kRegionOffset = 0x30000000;  // IORING_MAP_OFF_ZCRX_REGION, and the id << 16

SCENARIO(
    races, map_against_registration,
    "a region that another thread maps while its instance is registered is refused, or is that "
    "of the instance",
    Terms(Needs{.cpus = 2, .features = {Feature::kNodev}}).claims({"races.map-register"})) {
    IfqOptions options;
    options.area_size = 16 * kPageSize;
    options.rq_entries = 16;
    options.rq_memory_of_kernel = true;
    const size_t size = scene.must(IfqRequest::prepare(options))->region.size;
    uint64_t early = 0;
    for (unsigned round = 0; round < kRegistrations; ++round) {
        Ring ring = scene.must(Ring::create());
        options.number = scene.next_ifq();
        const auto first = scene.must(Ifq::open(ring, options, &scene.trace()));
        const auto offset = static_cast<off_t>(kRegionOffset + (uint64_t{1} << 16));
        Mapping mapped;
        std::atomic<bool> registered{false};
        std::atomic<int> wrong{0};
        std::thread mapper([&] {
            // Once more after it was registered at least.
            for (bool last = false; !mapped && !last;) {
                last = registered;
                auto region = Mapping::map(size, PROT_READ, MAP_SHARED, ring.fd(), offset);
                if (region) {
                    mapped = std::move(*region);
                    if (!last) ++early;
                } else if (region.error().code != EINVAL) {
                    wrong = region.error().code;
                }
            }
        });
        options.number = scene.next_ifq();
        auto second = Ifq::open(ring, options, &scene.trace());
        registered = true;
        mapper.join();
        scene.must(second ? Result<void>() : Result<void>(second.error()));
        EXPECT_EQ((*second)->zcrx_id(), 1U);
        EXPECT_EQ(wrong, 0) << "It was refused with " << errno_name(wrong) << ".";
        ASSERT_TRUE(mapped) << "The region of an instance that is registered is refused.";
        ASSERT_TRUE((*second)->refill().push(0, 1, 1));
        (*second)->refill().publish();
        uint32_t tail = 0;
        std::memcpy(&tail, mapped.data() + (*second)->registration().offsets.tail, sizeof tail);
        ASSERT_EQ(tail, 1U) << "It is the region of another one.";
    }
    scene.note(std::to_string(early) + " of " + std::to_string(kRegistrations) +
               " were mapped while they were registered");
}

}  // namespace
}  // namespace zcrxlab::races
