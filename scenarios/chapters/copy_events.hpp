// An instance without a NIC, which copies all that it receives and raises COPY for it, and what
// comes of that at the ring that registered it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "harness/ring/ifq.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

inline constexpr uint64_t kEventData = 0xe7e47;  // user_data

inline IfqOptions copying_ifq(Scene& scene) {
    IfqOptions options;
    options.number = scene.next_ifq();
    options.area_size = 1U << 20;
    options.events = EventOptions{
        .user_data = kEventData,
        .types = 1U << static_cast<uint32_t>(uapi::ZcrxEvent::kCopy),
    };
    return options;
}

// What lies in the CQ of a ring now.
inline std::vector<Completion> completions_of(Scene& scene, Ring& ring) {
    std::vector<Completion> all;
    scene.must(ring.poll());
    ring.reap(all);
    return all;
}

inline void expect_copy_event(const std::vector<Completion>& seen) {
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].user_data, kEventData);
    EXPECT_EQ(seen[0].result, static_cast<int32_t>(uapi::ZcrxEvent::kCopy));
    EXPECT_EQ(seen[0].flags, 0U);
}

}  // namespace zcrxlab
