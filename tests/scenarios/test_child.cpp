// A child is bounded in time, and how it ended is told.
#include <gtest/gtest.h>
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
    // The background process keeps the output open and ignores what is polite.
    const Result<ChildEnd> end =
        run_child(shell("trap '' TERM; (trap '' TERM; echo $$; sleep 1000) & sleep 1000", 300ms));
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kTimedOut);
    EXPECT_GE(end->seconds, 0.3);
    EXPECT_LT(end->seconds, 5);
    ASSERT_FALSE(end->doing.empty());
    EXPECT_NE(describe(*end, 300ms).find("within 0.3 s"), std::string::npos);
    EXPECT_NE(end->doing[0].find("system call"), std::string::npos);
    // The whole group is gone: nobody is left to be signalled.
    const pid_t group = std::stoi(end->output);
    for (int i = 0; i < 100 && kill(-group, 0) == 0; ++i) usleep(10000);
    EXPECT_NE(kill(-group, 0), 0);
}

TEST(Child, LeftoversDoNotHoldUpItsEnd) {
    const Result<ChildEnd> end = run_child(shell("sleep 1000 & exit 0"));
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kExited);
    EXPECT_LT(end->seconds, 5);
}

TEST(Child, OnlyTheEndOfLongOutputIsKept) {
    const Result<ChildEnd> end = run_child(shell(
        "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end"));
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
