// Chapter soak, the refill ring's indices: as many entries as a 32-bit number counts, and some
// more.
#include <gtest/gtest.h>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/single_thread_stream.hpp"

namespace zcrxlab::soak_index_wrap {
namespace {

// The kernel counts from 0 in memory of its own, so that there is no short way to the end. Entries
// for a buffer that is not held are the cheapest that a flush steps over.
SCENARIO(soak, index_wrap,
         "buffers come back behind 2^32 entries of the refill ring as before them",
         Terms(Needs{.features = {Feature::kNodev, Feature::kFlushRq}})
             .within(std::chrono::hours(2))
             .claims({"refill.index-wrap"})) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.rq_entries = 32768;
    options.area_size = 64 * kPageSize;
    Ring ring = scene.must(Ring::create());
    const auto ifq = scene.must(Ifq::open(ring, options, &scene.trace()));
    RefillRing& refill = ifq->refill();
    const uint32_t entries = refill.entries();
    for (uint32_t i = 0; i < entries; ++i) refill.push_unchecked(0, 1);
    // The ring is full of them: moving the tail is all that is left to do.
    uint64_t published = 0;
    const uint64_t wrap = uint64_t{1} << 32;
    while (published < wrap - entries / 2) {
        const uint64_t step = std::min<uint64_t>(entries, wrap - entries / 2 - published);
        published += step;
        refill.publish_tail(static_cast<uint32_t>(published));
        for (uint32_t tries = 0; refill.head() != refill.tail(); ++tries) {
            if (tries == entries)
                scene.give_up("The kernel's head stays at " + std::to_string(refill.head()) +
                              ", and the tail is at " + std::to_string(refill.tail()) + ".");
            scene.must(ifq->flush());
        }
    }
    EXPECT_GT(refill.head(), uint32_t{0} - entries);
    SingleThreadStream tap(scene, ring, ifq->zcrx_id(), *ifq);
    // More buffers than half a ring has entries, and each of them has to come back.
    for (uint32_t i = 0; i < entries / 2 + 1000; ++i) tap.send_and_expect(1000);
    EXPECT_LT(refill.head(), entries);
}

}  // namespace
}  // namespace zcrxlab::soak_index_wrap
