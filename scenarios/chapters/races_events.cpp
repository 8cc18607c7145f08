// Chapter races: an event that has fired is armed through two rings at once. How often both asked
// before one of them was answered is no claim.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "harness/base/errno_name.hpp"
#include "scenarios/chapters/copy_events.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/attempt.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"

namespace zcrxlab::races_events {
namespace {

constexpr unsigned kRounds = 64;
constexpr unsigned kMostTurns = 16;  // of a processor that is given away

int errno_of_arming(Ring& ring, uint32_t zcrx_id) {
    uapi::ZcrxCtrl control{};
    control.zcrx_id = zcrx_id;
    control.op = static_cast<uint32_t>(uapi::ZcrxCtrlOp::kArmEvent);
    control.arm.type = static_cast<uint32_t>(uapi::ZcrxEvent::kCopy);
    return errno_of(control_raw(ring, control));
}

// The three have a ring each: what registered is told of the event, and two others, each with an
// import, arm it.
SCENARIO(
    races, event_armed_by_two,
    "an event that two threads arm at once, each through an import, is armed by one of them, and "
    "fires once",
    Terms(Needs{.cpus = 2, .features = {Feature::kNodev, Feature::kExport, Feature::kEvents}})
        .claims({"races.arm-event"})) {
    std::mt19937_64 random(scene.seed());
    Ring exporter = scene.must(Ring::create());
    Ring importer = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(exporter, copying_ifq(scene), &scene.trace()));
    const Fd box = scene.must(ifq->export_box());
    const uint32_t id = scene.must(import_box(importer, box.get()));
    ifq->control_through(importer, id);
    SingleThreadStream stream(scene, importer, id, *ifq);

    std::atomic<unsigned> asked{0}, answered{0};
    std::atomic<int> answer{0};
    std::thread other([&] {
        Ring ring = scene.must(Ring::create());
        const uint32_t own_id = scene.must(import_box(ring, box.get()));
        for (unsigned round = 1; round <= kRounds; ++round) {
            while (asked < round) std::this_thread::yield();
            answer = errno_of_arming(ring, own_id);
            answered = round;
        }
    });
    unsigned by_the_other = 0;
    for (unsigned round = 1; round <= kRounds; ++round) {
        stream.send_and_expect(1000);
        expect_copy_event(completions_of(scene, exporter));
        asked = round;
        for (uint64_t turns = random() % kMostTurns; turns > 0; --turns) std::this_thread::yield();
        const int own = errno_of_arming(importer, id);
        while (answered < round) std::this_thread::yield();
        EXPECT_TRUE((own == 0 && answer == EINVAL) || (own == EINVAL && answer == 0))
            << "The one was answered with " << errno_name(own) << ", the other with "
            << errno_name(answer) << ".";
        by_the_other += answer == 0 ? 1 : 0;
    }
    other.join();
    scene.note(std::to_string(by_the_other) + " of " + std::to_string(kRounds) +
               " were armed by the other thread");
}

}  // namespace
}  // namespace zcrxlab::races_events
