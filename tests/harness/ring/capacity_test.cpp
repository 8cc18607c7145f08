// The count of an area's buffers, and when a pause says that none of them is left for the NIC.
#include "harness/ring/capacity.hpp"

#include <gtest/gtest.h>

namespace zcrxlab {
namespace {

constexpr uint32_t kBuffer = 4096;

TEST(CapacityCount, CountsABufferOnceHoweverManyParts) {
    CapacityCount count(nullptr);
    count.add(0, 1000, kBuffer);
    count.add(1000, 1000, kBuffer);
    count.add(kBuffer, 4096, kBuffer);
    EXPECT_EQ(count.taken.size(), 2U);
    EXPECT_EQ(count.in_hand(), 2U);
    EXPECT_EQ(count.handed_twice, 0U);
    count.add(500, 1000, kBuffer);
    EXPECT_EQ(count.handed_twice, 1U);
}

TEST(CapacityCount, ABufferIsAwayWhenItsLastPartIsGivenBack) {
    CapacityCount count(nullptr);
    count.add(0, 1000, kBuffer);
    count.add(1000, 1000, kBuffer);
    count.give_back(0, kBuffer);
    EXPECT_EQ(count.in_hand(), 1U);
    count.give_back(1000, kBuffer);
    EXPECT_EQ(count.in_hand(), 0U);
    count.give_back(1000, kBuffer);
    EXPECT_EQ(count.in_hand(), 0U);
    EXPECT_EQ(count.taken.size(), 1U) << "it was counted";
    count.add(0, 1000, kBuffer);
    EXPECT_EQ(count.in_hand(), 1U);
    EXPECT_EQ(count.handed_twice, 0U);
}

TEST(Dryness, ASlowSenderLeavesNoAreaDry) {
    const CapacityOptions options;
    const Dryness dryness(options);
    EXPECT_EQ(dryness.patience(true, 4000), options.pause);
    EXPECT_EQ(dryness.patience(true, options.pushed), options.pause);
    EXPECT_EQ(dryness.patience(true, options.pushed - 1), options.quiet);
}

TEST(Dryness, BeforeTheFirstCqeTheSenderMayTakeAWholePause) {
    const CapacityOptions options;
    EXPECT_EQ(Dryness(options).patience(false, 0), options.pause);
}

TEST(Dryness, AWholePauseSaysHowManyStayAway) {
    const CapacityOptions options;
    Dryness dryness(options);
    dryness.dry(300);
    EXPECT_EQ(dryness.patience(true, 300), options.quiet);
    EXPECT_EQ(dryness.patience(true, 301), options.pause);
    dryness.dry(3);
    EXPECT_EQ(dryness.patience(true, 300), options.quiet) << "that fewer were away proves nothing";
}

TEST(Dryness, WaitsLongerAfterEachStepThatFoundNothing) {
    const CapacityOptions options;
    Dryness dryness(options);
    dryness.pushed(false);
    EXPECT_EQ(dryness.patience(true, 0), 2 * options.quiet);
    for (int i = 0; i < 10; ++i) dryness.pushed(false);
    EXPECT_EQ(dryness.patience(true, 0), options.longest_quiet);
    dryness.pushed(true);
    EXPECT_EQ(dryness.patience(true, 0), options.quiet);
    dryness.last_round();
    EXPECT_EQ(dryness.patience(true, 0), options.pause);
}

}  // namespace
}  // namespace zcrxlab
