// What is fetched and run when.
#include <gtest/gtest.h>

#include "results/matrix/schedule.hpp"

namespace zcrxlab {
namespace {

TEST(Schedule, TheNextKernelIsFetchedWhileTheLastRunOfAnotherGoesOn) {
    Schedule schedule(planned_runs({"1", "2"}, {"gve", "nodev"}), 1);
    EXPECT_FALSE(schedule.next_run());
    EXPECT_EQ(schedule.next_fetch(), "2");
    EXPECT_FALSE(schedule.next_fetch());  // one at a time
    EXPECT_FALSE(schedule.next_run());
    schedule.fetched("2", true);
    EXPECT_FALSE(schedule.next_fetch());  // two runs lie ready
    EXPECT_EQ(schedule.next_run(), 0U);
    EXPECT_FALSE(schedule.next_run());
    EXPECT_FALSE(schedule.next_fetch());
    schedule.ended(0);
    EXPECT_EQ(schedule.next_run(), 1U);
    EXPECT_EQ(schedule.next_fetch(), "1");  // while the last run of "2" goes on
    schedule.fetched("1", true);
    EXPECT_FALSE(schedule.next_run());
    schedule.ended(1);
    EXPECT_EQ(schedule.next_run(), 2U);
    schedule.ended(2);
    EXPECT_EQ(schedule.left(), 1U);
    EXPECT_EQ(schedule.next_run(), 3U);
    EXPECT_FALSE(schedule.done());
    schedule.ended(3);
    EXPECT_TRUE(schedule.done());
}

TEST(Schedule, AKernelThatCannotBeHadStopsNoOther) {
    Schedule schedule(planned_runs({"1", "2"}, {"gve", "nodev"}), 1);
    EXPECT_EQ(schedule.next_fetch(), "2");
    schedule.fetched("2", false);
    EXPECT_FALSE(schedule.next_run());
    EXPECT_EQ(schedule.left(), 2U);
    EXPECT_EQ(schedule.next_fetch(), "1");
    schedule.fetched("1", true);
    EXPECT_EQ(schedule.next_run(), 2U);
}

TEST(Schedule, AsManySideBySideAsAreAskedFor) {
    Schedule schedule(planned_runs({"1", "2", "3"}, {"gve"}), 2);
    EXPECT_EQ(schedule.next_fetch(), "3");
    schedule.fetched("3", true);
    EXPECT_EQ(schedule.next_fetch(), "2");  // one lies ready, two may run
    EXPECT_EQ(schedule.next_run(), 0U);
    schedule.fetched("2", true);
    EXPECT_EQ(schedule.next_run(), 1U);
    EXPECT_EQ(schedule.next_fetch(), "1");
    schedule.fetched("1", true);
    EXPECT_FALSE(schedule.next_run());
    schedule.ended(1);
    EXPECT_EQ(schedule.next_run(), 2U);
}

TEST(Schedule, OfNothingIsDone) {
    Schedule schedule({}, 1);
    EXPECT_TRUE(schedule.done());
    EXPECT_FALSE(schedule.next_fetch());
    EXPECT_FALSE(schedule.next_run());
}

}  // namespace
}  // namespace zcrxlab
