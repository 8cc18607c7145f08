// Chapter races: two paths of the kernel on two processors at once, again and again. How often, and
// at which moments, follows from the seed; how often they met is no claim and is noted.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::races {
namespace {

using namespace std::chrono_literals;

// ---- the refill ring

// The driver takes entries of the refill ring when it wants buffers, and FLUSH_RQ takes them when
// it is asked to; both end a buffer's way to the user. A ring belongs to its task, so that the
// flushes come through an import.
SCENARIO(races, refill_against_flush,
         "buffers that come back while another thread flushes through an import come back once",
         Terms(Needs{.queues = 1, .cpus = 2, .features = {Feature::kFlushRq, Feature::kExport}})
             .claims({"races.refill-flush"})) {
    ReceivePath rx(scene, {.ifq = {.area_size = 6_MiB}});
    const Fd box = scene.must(rx.ifq().export_box());
    std::atomic<bool> done{false};
    std::atomic<uint64_t> flushes{0};
    std::thread flusher([&] {
        Ring importer = scene.must(Ring::create());
        const uint32_t id = scene.must(import_box(importer, box.get()));
        while (!done) {
            scene.must(rx.ifq().flush_through(importer, id));
            ++flushes;
            std::this_thread::yield();
        }
    });
    for (int i = 0; i < 4; ++i) rx.connect({.bytes = 8_MiB, .chunks = {9999}});
    rx.receive_all();
    done = true;
    flusher.join();
    EXPECT_EQ(rx.receiver().total_bytes(), 32_MiB);
    EXPECT_GT(flushes, 0U);
    scene.note("flushed " + std::to_string(flushes) + " times while 32 MiB came");
    rx.measure_capacity();
}

// ---- the end of a ring

constexpr unsigned kCloses = 4;
constexpr unsigned kStreams = 32;
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
constexpr unsigned kMostTurns = 64;

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

}  // namespace
}  // namespace zcrxlab::races
