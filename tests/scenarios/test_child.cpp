// A child is bounded in time, and how it ended is told.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "scenarios/runner/child.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

ChildOrder shell(const std::string& script, std::chrono::milliseconds bound = 20s) {
    ChildOrder order;
    order.command = {"/bin/sh", "-c", script};
    order.bound = bound;
    return order;
}

// A pipe ends when nobody is left to hold its writing end. Closes both.
bool nobody_holds(const int (&ends)[2]) {
    close(ends[1]);
    pollfd ended{ends[0], POLLIN, 0};
    const bool nobody = poll(&ended, 1, 5000) == 1 && ended.revents == POLLHUP;
    close(ends[0]);
    return nobody;
}

TEST(Child, ExitCodeAndOutput) {
    const Result<ChildEnd> end = run_child(shell("echo out; echo err >&2; exit 3"));
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kExited);
    EXPECT_EQ(end->code, 3);
    EXPECT_EQ(end->output, "out\nerr\n");
    EXPECT_EQ(describe(*end, 20s), "exited with code 3");
}

TEST(Child, Signal) {
    const Result<ChildEnd> end = run_child(shell("kill -ABRT $$"));
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kSignalled);
    EXPECT_EQ(end->code, SIGABRT);
    EXPECT_NE(describe(*end, 20s).find("signal 6 (Aborted)"), std::string::npos);
}

TEST(Child, IsKilledAtItsBoundWithWhatItStarted) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    // The background process keeps the output open and ignores what is polite.
    ChildOrder order = shell("trap '' TERM; (trap '' TERM; sleep 1000) & sleep 1000", 300ms);
    order.inherited = ends[1];
    const Result<ChildEnd> end = run_child(order);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kTimedOut);
    EXPECT_GE(end->seconds, 0.3);
    EXPECT_LT(end->seconds, 5);
    ASSERT_FALSE(end->doing.empty());
    EXPECT_NE(describe(*end, 300ms).find("within 0.3 s"), std::string::npos);
    EXPECT_NE(end->doing[0].find("system call"), std::string::npos);
    EXPECT_TRUE(nobody_holds(ends));
}

TEST(Child, LeftoversDoNotHoldUpItsEndAndAreEnded) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    ChildOrder order = shell("sleep 1000 & exit 0");
    order.inherited = ends[1];
    const Result<ChildEnd> end = run_child(order);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kExited);
    EXPECT_LT(end->seconds, 5);
    EXPECT_TRUE(nobody_holds(ends));
}

TEST(Child, OnlyTheEndOfLongOutputIsKept) {
    const Result<ChildEnd> end = run_child(
        shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end"));
    ASSERT_TRUE(end.ok());
    EXPECT_LE(end->output.size(), size_t{16} << 10);
    EXPECT_EQ(end->output.substr(end->output.size() - 8), "the end\n");
}

TEST(Child, AProgramThatIsNotThere) {
    ChildOrder order;
    order.command = {"/nonexistent/program"};
    const Result<ChildEnd> end = run_child(order);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->code, 127);
    EXPECT_NE(end->output.find("/nonexistent/program"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
