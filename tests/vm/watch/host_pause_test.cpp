// What this machine's clocks and process table say of a pause.
#include "vm/watch/host_pause.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "harness/base/child_process.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

HostPause::Time at(int64_t ms) {
    return HostPause::Time(milliseconds(1'000'000 + ms));
}

TEST(HostPause, AWaitThatEndsInTimeOrALittleLateIsNone) {
    EXPECT_FALSE(pause_between({at(0), {}}, {at(500), {}}, milliseconds(500)));
    EXPECT_FALSE(pause_between({at(0), {}}, {at(2'499), {}}, milliseconds(500)));
    EXPECT_FALSE(pause_between({at(0), {}}, {at(1'900), {}}, milliseconds(0)));
}

TEST(HostPause, AWaitThatEndsFarTooLateIsOne) {
    const auto pause = pause_between({at(0), {}}, {at(30'500), {}}, milliseconds(500));
    ASSERT_TRUE(pause);
    EXPECT_EQ(pause->from, at(0));
    EXPECT_EQ(pause->to, at(30'500));
    EXPECT_NE(text_of(*pause).find("stood still for 30.0 s"), std::string::npos) << text_of(*pause);
}

// A machine that sleeps has a monotonic clock that sleeps, too.
TEST(HostPause, AMachineThatSleptIsToldByItsOtherClock) {
    const auto pause = pause_between({at(0), std::chrono::seconds(5)},
                                     {at(20), std::chrono::seconds(3'605)}, milliseconds(500));
    ASSERT_TRUE(pause);
    EXPECT_EQ(text_of(*pause), "this machine was asleep for 3600.0 s");
    EXPECT_EQ(pause->to, at(20)) << "no bound has counted the rest";
}

TEST(HostPause, AProcessIsStoppedFromWhenItWasLastSeenRunning) {
    ProcessStops stops("QEMU");
    EXPECT_FALSE(stops.look(false, at(0)));
    EXPECT_FALSE(stops.look(true, at(500)));
    EXPECT_FALSE(stops.look(true, at(30'000)));
    const auto pause = stops.look(false, at(30'500));
    ASSERT_TRUE(pause);
    EXPECT_EQ(text_of(*pause), "QEMU was stopped for 30.5 s");
    EXPECT_FALSE(stops.look(false, at(40'000)));
    EXPECT_FALSE(stops.look(true, at(40'500)));
    EXPECT_FALSE(stops.look(false, at(41'000))) << "too short";
}

TEST(HostPause, TheProcessTableTellsWhoIsStopped) {
    auto child = ChildProcess::start({.arguments = {"sleep", "60"}});
    ASSERT_TRUE(child);
    const auto becomes = [&](bool stopped) {
        for (int tries = 0; tries < 1'000; ++tries) {
            if (is_stopped(child->pid()) == stopped) return true;
            std::this_thread::sleep_for(milliseconds(5));
        }
        return false;
    };
    EXPECT_TRUE(becomes(false));
    child->signal(SIGSTOP);
    EXPECT_TRUE(becomes(true));
    child->signal(SIGCONT);
    EXPECT_TRUE(becomes(false));
    child->kill_and_collect();
    EXPECT_FALSE(is_stopped(child->pid()));
}

}  // namespace
}  // namespace zcrxlab
