// Child processes end when they should, and with us.
#include "harness/base/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

ChildOptions shell(const std::string& script) {
    ChildOptions options;
    options.arguments = {"/bin/sh", "-c", script};
    return options;
}

TEST(ChildProcessTest, TellsHowItEnded) {
    auto child = ChildProcess::start(shell("exit 7"));
    ASSERT_TRUE(child);
    ASSERT_TRUE(child->wait(milliseconds(5'000)));
    EXPECT_EQ(describe_status(*child->status()), "exited with code 7");

    auto killed = ChildProcess::start(shell("kill -9 $$"));
    ASSERT_TRUE(killed);
    ASSERT_TRUE(killed->wait(milliseconds(5'000)));
    EXPECT_EQ(describe_status(*killed->status()), "was killed by signal 9 (Killed)");
}

TEST(ChildProcessTest, AProgramThatIsNotThereIsAnError) {
    ChildOptions options;
    options.arguments = {"/no/such/program"};
    const auto child = ChildProcess::start(options);
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().code, ENOENT);
}

TEST(ChildProcessTest, ItsPidfdBecomesReadable) {
    auto child = ChildProcess::start(shell("exec sleep 60"));
    ASSERT_TRUE(child);
    EXPECT_FALSE(child->wait(milliseconds(20)));
    child->signal(SIGTERM);
    pollfd ended{child->pidfd(), POLLIN, 0};
    EXPECT_EQ(::poll(&ended, 1, 5'000), 1);
    EXPECT_TRUE(child->status().has_value());
}

TEST(ChildProcessTest, ItsDescriptorsArriveWhereTheyWereWanted) {
    std::array<int, 2> out{};
    std::array<int, 2> extra{};
    ASSERT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(extra.data(), O_CLOEXEC), 0);
    ChildOptions options = shell("echo output; echo extra >&3; echo lost >&2; read x || exit 0");
    options.output = out[1];
    options.extra = extra[1];
    auto child = ChildProcess::start(options);
    ASSERT_TRUE(child);
    ::close(out[1]);
    ::close(extra[1]);
    ASSERT_TRUE(child->wait(milliseconds(5'000)));
    EXPECT_EQ(describe_status(*child->status()), "exited with code 0");
    std::array<char, 64> text{};
    EXPECT_EQ(::read(out[0], text.data(), text.size()), 7);
    EXPECT_STREQ(text.data(), "output\n");
    text.fill('\0');
    EXPECT_EQ(::read(extra[0], text.data(), text.size()), 6);
    EXPECT_STREQ(text.data(), "extra\n");
    ::close(out[0]);
    ::close(extra[0]);
}

TEST(ChildProcessTest, ItsOwnChildrenGoWithIt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ChildOptions options = shell("sleep 60 & echo started; wait");
    options.output = ends[1];
    {
        auto child = ChildProcess::start(options);
        ASSERT_TRUE(child);
        ::close(ends[1]);
        std::array<char, 16> text{};
        ASSERT_GT(::read(ends[0], text.data(), text.size()), 0);
    }
    // The pipe's last writer, the grandchild, is gone.
    pollfd closed{ends[0], POLLIN, 0};
    EXPECT_EQ(::poll(&closed, 1, 5'000), 1);
    char c = 0;
    EXPECT_EQ(::read(ends[0], &c, 1), 0);
    ::close(ends[0]);
}

TEST(ChildProcessTest, ItDiesWithUs) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
        ChildOptions options = shell("exec sleep 60");
        options.output = ends[1];
        auto child = ChildProcess::start(options);
        ::kill(::getpid(), SIGKILL);
    }
    ::close(ends[1]);
    ::waitpid(parent, nullptr, 0);
    pollfd closed{ends[0], POLLIN, 0};
    EXPECT_EQ(::poll(&closed, 1, 5'000), 1);
    char c = 0;
    EXPECT_EQ(::read(ends[0], &c, 1), 0);
    ::close(ends[0]);
}

}  // namespace
}  // namespace zcrxlab
