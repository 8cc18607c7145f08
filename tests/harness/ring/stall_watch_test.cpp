// When a stream counts as stalled, over a clock of the test's own.
#include "harness/ring/stall_watch.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

constexpr std::chrono::milliseconds kMoment{1000};

struct Stream {
    // Enters the kernel `times`, each time `pause` later; whether the stream has stalled then.
    bool enter(uint32_t times, std::chrono::milliseconds pause) {
        bool stalled = false;
        for (uint32_t i = 0; i < times; ++i) {
            now += pause;
            stalled = watch.stalled(1, bytes, queued, now);
        }
        return stalled;
    }

    StallWatch watch{kMoment};
    StallWatch::Clock::time_point now{};
    uint64_t bytes = 100;
    int queued = 500;
};

constexpr uint32_t kEnough = StallWatch::kEntries + 1;  // the first one sees the data

TEST(StallWatch, DataThatNoEntryBringsOutIsAStall) {
    Stream stream;
    EXPECT_FALSE(stream.enter(kEnough - 1, kMoment));
    EXPECT_TRUE(stream.enter(1, kMoment));
}

TEST(StallWatch, ManyEntriesInNoTimeProveNothing) {
    Stream stream;
    EXPECT_FALSE(stream.enter(10 * kEnough, std::chrono::milliseconds(0)));
    EXPECT_TRUE(stream.enter(1, kMoment));
}

TEST(StallWatch, TimeWithoutEntriesProvesNothing) {
    Stream stream;
    EXPECT_FALSE(stream.enter(2, 1000 * kMoment));
}

TEST(StallWatch, AnEmptySocketIsNoStall) {
    Stream stream;
    stream.queued = 0;
    EXPECT_FALSE(stream.enter(10 * kEnough, kMoment));
    stream.queued = -1;
    EXPECT_FALSE(stream.enter(10 * kEnough, kMoment));
}

TEST(StallWatch, WhateverMovesBeginsAnew) {
    Stream stream;
    stream.enter(kEnough - 1, kMoment);
    stream.queued += 1;
    EXPECT_FALSE(stream.enter(kEnough - 1, kMoment));
    stream.bytes += 1;
    EXPECT_FALSE(stream.enter(kEnough - 1, kMoment));
    stream.watch.forget(1);
    EXPECT_FALSE(stream.enter(kEnough - 1, kMoment));
    EXPECT_TRUE(stream.enter(1, kMoment));
}

TEST(StallWatch, EachStreamHasItsOwnEntries) {
    Stream stream;
    stream.enter(kEnough - 1, kMoment);
    EXPECT_FALSE(stream.watch.stalled(2, stream.bytes, stream.queued, stream.now));
    EXPECT_TRUE(stream.enter(1, kMoment));
}

TEST(StallWatch, WithoutAMomentNothingIsAStall) {
    Stream stream;
    stream.watch = StallWatch(std::nullopt);
    EXPECT_FALSE(stream.enter(10 * kEnough, kMoment));
}

}  // namespace
}  // namespace zcrxlab
