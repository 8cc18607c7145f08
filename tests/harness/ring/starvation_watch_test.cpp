// When a queue counts as starving, over looks as devices gave them and a clock of the test's own.
#include "harness/ring/starvation_watch.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace zcrxlab {
namespace {

constexpr std::chrono::milliseconds kMoment{1000};

// A look at the device so many milliseconds after the first one.
struct Recorded {
    int milliseconds;
    int64_t posted;
    uint64_t dropped;
};

bool starves_at_last(std::initializer_list<Recorded> looks) {
    StarvationWatch watch(kMoment);
    bool starves = false;
    for (const Recorded& look : looks) {
        EXPECT_FALSE(starves) << "before " << look.milliseconds << " ms";
        starves = watch.starves(
            DeviceLook{look.posted, look.dropped},
            StarvationWatch::Clock::time_point{} + std::chrono::milliseconds(look.milliseconds));
    }
    return starves;
}

// A sender that tries again after 10, 20, 40 ... ms, and a driver that does not ask for buffers.
TEST(StarvationWatch, ADriverThatDoesNotAskStarvesItsQueue) {
    EXPECT_TRUE(starves_at_last({{0, 0, 70},
                                 {100, 0, 73},
                                 {200, 0, 74},
                                 {300, 0, 74},
                                 {400, 0, 75},
                                 {500, 0, 75},
                                 {600, 0, 75},
                                 {700, 0, 76},
                                 {800, 0, 76},
                                 {900, 0, 76},
                                 {1000, 0, 76}}));
}

// A driver that asks again by a timer of its own.
TEST(StarvationWatch, BuffersThatComeLateEndIt) {
    EXPECT_FALSE(starves_at_last({{0, 0, 70},
                                  {100, 0, 73},
                                  {200, 0, 74},
                                  {300, 0, 74},
                                  {400, 0, 75},
                                  {500, 0, 75},
                                  {600, 0, 75},
                                  {700, 0, 76},
                                  {800, 32, 76},
                                  {900, 3, 76},
                                  {1000, 3, 80},
                                  {1800, 3, 80}}));
}

// Whether a queue is said to starve at one of 100 looks, 100 ms and a dropped packet apart;
// `posted` says how many buffers it has at each.
bool starves_ever(int64_t (*posted)(int look)) {
    StarvationWatch watch(kMoment);
    bool starves = false;
    for (int i = 0; i < 100; ++i) {
        starves = starves || watch.starves(DeviceLook{posted(i), static_cast<uint64_t>(i)},
                                           StarvationWatch::Clock::time_point{} +
                                               i * std::chrono::milliseconds(100));
    }
    return starves;
}

TEST(StarvationWatch, WhatHasAPacketsBuffersDoesNotStarve) {
    EXPECT_TRUE(starves_ever([](int) { return StarvationWatch::kOfPacket - 1; }));
    EXPECT_FALSE(starves_ever([](int) { return StarvationWatch::kOfPacket; }));
}

TEST(StarvationWatch, WhatIsFedAFewBuffersAtATimeDoesNotStarve) {
    EXPECT_FALSE(starves_ever([](int look) { return int64_t{look / 4 % 16}; }));
}

// On a machine that stood still between two looks there was no chance for anybody.
TEST(StarvationWatch, FewLooksInALongTimeProveNothing) {
    EXPECT_FALSE(starves_at_last({{0, 0, 0}, {5000, 0, 9}, {10000, 0, 19}, {60000, 0, 99}}));
}

TEST(StarvationWatch, ManyLooksInNoTimeProveNothing) {
    StarvationWatch watch(kMoment);
    for (uint64_t i = 0; i < 100; ++i)
        EXPECT_FALSE(watch.starves(DeviceLook{0, i}, StarvationWatch::Clock::time_point{}));
}

// A peer that has nothing to send, or waits for longer: the driver had no packet to ask at.
TEST(StarvationWatch, WithoutPacketsNobodyStarves) {
    StarvationWatch watch(kMoment);
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(watch.starves(
            DeviceLook{0, i == 0 ? 50 : 50 + StarvationWatch::kDropped - 1},
            StarvationWatch::Clock::time_point{} + i * std::chrono::milliseconds(100)));
}

TEST(StarvationWatch, ADeviceThatDoesNotTellIsNotJudged) {
    StarvationWatch watch(kMoment);
    for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(watch.starves(std::nullopt, StarvationWatch::Clock::time_point{} +
                                                     i * std::chrono::milliseconds(100)));
}

TEST(StarvationWatch, ALookIsNotDueAtOnceAgain) {
    StarvationWatch watch(kMoment);
    const StarvationWatch::Clock::time_point start{};
    EXPECT_TRUE(watch.due(start));
    watch.starves(DeviceLook{}, start);
    EXPECT_FALSE(watch.due(start + kMoment / 20));
    EXPECT_TRUE(watch.due(start + kMoment / 10));
}

}  // namespace
}  // namespace zcrxlab
