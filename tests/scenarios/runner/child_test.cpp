// A child is bounded in time, and how it ended is told.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "scenarios/runner/child.hpp"

namespace zcrxlab {
namespace {

using namespace std::chrono_literals;

ChildOrder shell(const std::string& script, std::chrono::milliseconds bound = 20s) {
    ChildOrder order;
    order.what = script;
    order.bound = bound;
    return order;
}

// Children of this zygote are shells.
Result<ChildEnd> run(const ChildOrder& order) {
    Result<Zygote> zygote = Zygote::start([](const std::string& what, int) {
        execl("/bin/sh", "sh", "-c", what.c_str(), nullptr);
        return 127;
    });
    if (!zygote) return zygote.error();
    return run_child(*zygote, order);
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
    const Result<ChildEnd> end = run(shell("echo out; echo err >&2; exit 3"));
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kExited);
    EXPECT_EQ(end->code, 3);
    EXPECT_EQ(end->output, "out\nerr\n");
    EXPECT_EQ(describe(*end, 20s), "exited with code 3");
}

TEST(Child, Signal) {
    const Result<ChildEnd> end = run(shell("kill -ABRT $$"));
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
    const Result<ChildEnd> end = run(order);
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
    const Result<ChildEnd> end = run(order);
    ASSERT_TRUE(end.ok());
    EXPECT_EQ(end->how, ChildEnd::How::kExited);
    EXPECT_LT(end->seconds, 5);
    EXPECT_TRUE(nobody_holds(ends));
}

TEST(Child, OnlyTheEndOfLongOutputIsKept) {
    const Result<ChildEnd> end =
        run(shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo the end"));
    ASSERT_TRUE(end.ok());
    EXPECT_LE(end->output.size(), size_t{16} << 10);
    EXPECT_EQ(end->output.substr(end->output.size() - 8), "the end\n");
}

TEST(Child, HoldsNothingButItsOutputAndWhatItShallInherit) {
    const Fd open_before(open("/dev/null", O_RDONLY));  // not even closed on exec
    Result<Zygote> zygote = Zygote::start([](const std::string& what, int inherited) {
        std::string text = what;
        for (int fd = 0; fd < 1000; ++fd)
            if (fcntl(fd, F_GETFD) >= 0 && fd != inherited) text += " " + std::to_string(fd);
        std::puts(text.c_str());
        return inherited > 2 && fcntl(inherited, F_GETFD) >= 0 ? 7 : 8;
    });
    ASSERT_TRUE(zygote.ok());
    const Fd open_later(open("/dev/null", O_RDONLY));
    ChildOrder order;
    order.what = "open:";
    order.inherited = open_later.get();
    for (int again = 0; again < 2; ++again) {
        const Result<ChildEnd> end = run_child(*zygote, order);
        ASSERT_TRUE(end.ok());
        EXPECT_EQ(end->code, 7);
        EXPECT_EQ(end->output, "open: 0 1 2\n");
    }
}

TEST(Child, KnowsNothingOfTheOneBefore) {
    int calls = 0;
    int prepared = 0;
    Result<Zygote> zygote = Zygote::start(
        [&](const std::string&, int) { return 10 * prepared + ++calls; }, [&] { ++prepared; });
    ASSERT_TRUE(zygote.ok());
    for (int again = 0; again < 3; ++again) {
        const Result<ChildEnd> end = run_child(*zygote, {});
        ASSERT_TRUE(end.ok());
        EXPECT_EQ(end->code, 11);
    }
    EXPECT_EQ(prepared, 0);
}

TEST(Child, DiesWithItsZygote) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    {
        Result<Zygote> zygote = Zygote::start([](const std::string&, int) { return pause(); });
        ASSERT_TRUE(zygote.ok());
        ASSERT_TRUE(zygote->spawn("", STDOUT_FILENO, ends[1]).ok());
    }
    EXPECT_TRUE(nobody_holds(ends));
}

TEST(Child, AZygoteThatIsGoneIsToldAsThat) {
    Result<Zygote> zygote = Zygote::start([](const std::string&, int) {
        kill(getppid(), SIGKILL);
        return pause();
    });
    ASSERT_TRUE(zygote.ok());
    EXPECT_FALSE(run_child(*zygote, {}).ok());
    const Result<ChildEnd> end = run_child(*zygote, {});
    ASSERT_FALSE(end.ok());
    EXPECT_NE(end.error().sentence.find("is gone"), std::string::npos);
}

}  // namespace
}  // namespace zcrxlab
