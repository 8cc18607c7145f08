// Chapter races: an interface goes on one processor while a ring that has its queue closes on
// another. How the two met is no claim and is noted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "scenarios/chapters/container.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_removal.hpp"

namespace zcrxlab::races_departure {
namespace {

constexpr uint32_t kQueue = Container::kQueue;
constexpr unsigned kMostTurns = 64;  // of a processor that is given away

void give_away(uint64_t turns) {
    for (; turns > 0; --turns) std::this_thread::yield();
}

// A ring and the ifq that it has.
struct Bound {
    std::unique_ptr<Ring> ring;
    std::unique_ptr<Ifq> ifq;
};

// Each waits for a moment of its own before. True: the ring was closed before the other was done.
bool close_beside(Bound bound, std::mt19937_64& random, const std::function<void()>& depart) {
    const uint64_t first = random() % kMostTurns, second = random() % kMostTurns;
    std::atomic<bool> gone{false};
    std::thread other([&] {
        give_away(first);
        depart();
        gone = true;
    });
    give_away(second);
    bound = {};
    const bool before = !gone;
    other.join();
    return before;
}

void expect_receives(Scene& scene) {
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    rx.measure_capacity();
}

IfqOptions options_of(Scene& scene) {
    IfqOptions options = receiving_ifq(scene);
    options.queue = kQueue;
    return options;
}

SCENARIO(races, container_against_close,
         "a container's interface that is removed while the ring that has its queue closes leaves "
         "the queue free",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true, .queues = 1, .cpus = 2})
             .claims({"races.departure-close"})) {
    constexpr unsigned kRounds = 8;
    std::mt19937_64 random(scene.seed());
    unsigned before = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
        Container container(scene);
        if (!container.lacking().empty())
            GTEST_SKIP() << "The kernel lends no queues to containers (" << container.lacking()
                         << "); type: zcrxlab run --kernel 7.3";
        const ReceivePathOptions inside = container.rx(container.lease());
        auto ring = std::make_unique<Ring>(scene.must(Ring::create()));
        auto request = scene.must(IfqRequest::prepare(options_of(scene)));
        auto ifq = scene.must(inside.open(*ring, std::move(request)));
        const uint32_t number = ifq->options().number;
        before +=
            close_beside({std::move(ring), std::move(ifq)}, random, [&] { container.remove(); })
                ? 1
                : 0;
        scene.trace().add(RingClosed{number});
        scene.wait_for_release(kQueue);
        EXPECT_FALSE(scene.must(scene.nic().netdev().receive_queue(kQueue)).lease)
            << "The queue is still lent.";
    }
    scene.note("the ring was closed first in " + std::to_string(before) + " of " +
               std::to_string(kRounds) + " rounds");
    expect_receives(scene);
}

SCENARIO(races, unbinding_against_close,
         "a driver that lets go of its device while a ring that has a queue closes can take it "
         "again",
         Terms(Needs{.where = Where::kDevice,
                     .flow_rules = true,
                     .outages = true,
                     .disruptive = true,
                     .queues = 1,
                     .cpus = 2})
             .claims({"races.departure-close"})) {
    constexpr unsigned kRounds = 4;
    std::mt19937_64 random(scene.seed());
    DeviceRemoval departure(scene, DeviceRemoval::How::kUnbound);
    unsigned before = 0;
    for (unsigned round = 0; round < kRounds; ++round) {
        const IfqOptions options = options_of(scene);
        auto ring = std::make_unique<Ring>(scene.must(Ring::create()));
        auto ifq = scene.must(Ifq::open(*ring, options, &scene.trace()));
        before +=
            close_beside({std::move(ring), std::move(ifq)}, random, [&] { departure.leave(); }) ? 1
                                                                                                : 0;
        scene.trace().add(RingClosed{options.number});
        departure.come_back();
        scene.wait_for_release(kQueue);
    }
    scene.note("the ring was closed first in " + std::to_string(before) + " of " +
               std::to_string(kRounds) + " rounds");
    expect_receives(scene);
}

}  // namespace
}  // namespace zcrxlab::races_departure
