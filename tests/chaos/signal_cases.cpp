// A signal at any moment, and a reader that goes away.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <string>
#include <thread>
#include <tuple>

#include "tests/chaos/sandbox.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

class SignalAt : public Chaos, public testing::WithParamInterface<std::tuple<int, int>> {};

TEST_P(SignalAt, EndsWithNothingLeft) {
    const auto [signal, after] = GetParam();
    is(fmt::format("zcrxlab run --filter 'receive.*', signal {} after {} ms", signal, after),
       "130 within 3 s, and nothing left");
    Started run = start({"zcrxlab", "run", "--fresh", "--filter", "receive.*", "--out", out()});
    std::this_thread::sleep_for(milliseconds(after));
    run.signal(signal);
    const auto sent = std::chrono::steady_clock::now();
    const Ended ended = run.end();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - sent;
    saw(fmt::format("{} after {:.1f} s", ended.code, took.count()));
    EXPECT_EQ(ended.code, 130) << ended.error;
    EXPECT_LE(took.count(), 3.0);
    EXPECT_EQ(left(), "");
}
INSTANTIATE_TEST_SUITE_P(Early, SignalAt,
                         testing::Combine(testing::Values(SIGINT, SIGTERM, SIGHUP),
                                          testing::Values(100, 300, 600, 1'000, 1'800, 3'000)));

TEST_F(Chaos, ASignalWhileSomethingIsFetched) {
    is("zcrxlab run in an empty cache, SIGTERM while QEMU is fetched", "130, and nothing left");
    Started run =
        shell("mkdir empty; ZCRXLAB_CACHE=$PWD/empty exec zcrxlab run --filter receive.one_byte");
    EXPECT_TRUE(run.says("refreshing the package lists"));
    run.signal(SIGTERM);
    const Ended ended = run.end();
    saw(ended);
    EXPECT_EQ(ended.code, 130) << ended.error;
    EXPECT_EQ(left(), "");
}

TEST_F(Chaos, AReaderThatGoesAway) {
    is("zcrxlab run --nic nodev --filter 'receive.*:accounting.*' | head -1",
       "130 soon after, results of what ran, nothing left");
    Started run = shell("zcrxlab run --nic nodev --filter 'receive.*:accounting.*' --out '" +
                        out().string() + "' | head -1; exit ${PIPESTATUS[0]}");
    const Ended ended = run.end();
    saw(ended);
    EXPECT_EQ(ended.code, 130) << ended.error;
    const auto told = results();
    EXPECT_TRUE(told);
    if (told) saw(fmt::format("results.json has {} scenarios", told->tests.size()));
    EXPECT_EQ(left(), "");
}

TEST_F(Chaos, StandardOutputThatIsFull) {
    is("zcrxlab run --nic nodev --filter receive.one_byte >/dev/full", "74, a sentence, results");
    Started run = shell("zcrxlab run --nic nodev --filter receive.one_byte --out '" +
                        out().string() + "' >/dev/full");
    const Ended ended = run.end();
    saw(ended);
    EXPECT_EQ(ended.code, 74);
    EXPECT_NE(ended.error.find("Standard output was not written as a whole: No space left"),
              std::string::npos)
        << ended.error;
    const auto told = results();
    ASSERT_TRUE(told);
    ASSERT_EQ(told->tests.size(), 1U);
    EXPECT_EQ(told->tests[0].status, TestStatus::kPassed);
    EXPECT_EQ(left(), "");
}

TEST_F(Chaos, AListThatNobodyCanWrite) {
    is("zcrxlab list >/dev/full; zcrxlab --help >/dev/full", "74 each");
    for (const char* command : {"zcrxlab list", "zcrxlab --help"}) {
        const Ended ended = shell(std::string(command) + " >/dev/full").end();
        saw(ended);
        EXPECT_EQ(ended.code, 74) << command << ended.error;
    }
}

TEST_F(Chaos, AKernelThatPanicsBehindInit) {
    is("zcrxlab exec -- sh -c 'echo c >/proc/sysrq-trigger'", "255, called a panic");
    for (int i = 0; i < 3; ++i) {  // boots, is saved, goes on
        const Ended ended = run({"zcrxlab", "exec", "--nic", "nodev", "--out", out(), "--", "sh",
                                 "-c", "echo c >/proc/sysrq-trigger"});
        saw(ended);
        EXPECT_EQ(ended.code, 255) << ended.error;
        EXPECT_NE(ended.error.find("kernel panicked"), std::string::npos) << ended.error;
        EXPECT_EQ(ended.error.find("thrown away"), std::string::npos) << ended.error;
    }
    EXPECT_EQ(left(), "");
}

}  // namespace
}  // namespace zcrxlab
