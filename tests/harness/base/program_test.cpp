// Other programs are run to their end, within their time, with what they say kept.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "harness/base/program.hpp"
#include "harness/base/stop_signals.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

using std::chrono::milliseconds;

TEST(RunProgram, OutputAndExitCode) {
    const auto run = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
    ASSERT_TRUE(run);
    EXPECT_EQ(run->output, "out\nerr\n");
    EXPECT_EQ(run->exit_code, 3);
    EXPECT_EQ(run_program({"sh", "-c", "kill -TERM $$"})->exit_code, 128 + SIGTERM);
}

TEST(RunProgram, ThatIsNotThere) {
    const auto run = run_program({"zcrxlab-no-such-program"});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, ENOENT);
    EXPECT_FALSE(program_exists("zcrxlab-no-such-program"));
    EXPECT_TRUE(program_exists("sh"));
}

TEST(RunProgram, IsKilledWhenItsTimeIsUp) {
    ProgramOptions options;
    options.timeout = milliseconds(100);
    const auto start = std::chrono::steady_clock::now();
    const auto run = run_program({"sleep", "60"}, options);
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->timed_out);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(RunProgram, IsKilledWhenItSaysNothingNew) {
    ProgramOptions options;
    options.silence = milliseconds(300);
    const auto start = std::chrono::steady_clock::now();
    const auto run =
        run_program({"sh", "-c", "while :; do echo the same; sleep 0.05; done"}, options);
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->timed_out);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    // On a machine that is busy the next line may come too late; then it was right to kill it.
    auto heard = std::chrono::steady_clock::now();
    options.on_line = [&heard](const std::string&) {
        heard = std::chrono::steady_clock::now();
        return true;
    };
    const auto news =
        run_program({"sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.1; done"}, options);
    ASSERT_TRUE(news);
    EXPECT_TRUE(!news->timed_out ||
                std::chrono::steady_clock::now() - heard >= options.silence.value());
}

TEST(RunProgram, ASignalThatWaitsEndsWhatIsStoppable) {
    const StopSignals signals;
    ::raise(SIGTERM);
    EXPECT_TRUE(stop_signal_waits());
    ProgramOptions options;
    const auto other = run_program({"sh", "-c", "echo done"}, options);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->output, "done\n");
    options.stoppable = true;
    const auto start = std::chrono::steady_clock::now();
    const auto run = run_program({"sleep", "60"}, options);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, EINTR);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    // Whoever holds the signals back hears of it.
    EXPECT_EQ(signals.take(), SIGTERM);
    EXPECT_FALSE(stop_signal_waits());
}

// As make does, whose compilers would go on for minutes.
TEST(RunProgram, WhatIsStoppedCanEndWhatItHasStarted) {
    const StopSignals signals;
    const TemporaryFolder folder;
    ProgramOptions options;
    options.folder = folder.path();
    options.stoppable = true;
    options.on_line = [](const std::string&) { return ::raise(SIGTERM) == 0; };
    const auto run = run_program(
        {"sh", "-c", "trap 'touch cleaned; exit' TERM; echo up; while :; do sleep 0.01; done"},
        options);
    EXPECT_EQ(run.error().code, EINTR);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "cleaned"));
    EXPECT_EQ(signals.take(), SIGTERM);
}

TEST(StopSignals, WhatAnInnerOneHasNotTakenIsTheOuterOnes) {
    const StopSignals outer;
    {
        const StopSignals inner;
        ::raise(SIGHUP);
    }
    EXPECT_EQ(outer.take(), SIGHUP);
    {
        const StopSignals inner;
        ::raise(SIGHUP);
        ::raise(SIGINT);
        EXPECT_TRUE(inner.take());
    }
    EXPECT_FALSE(outer.take()) << "it was answered by stopping";
}

TEST(StopSignals, AReaderThatHasGoneIsOne) {
    const StopSignals signals;
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    EXPECT_EQ(errno, EPIPE);
    ::close(ends[1]);
    EXPECT_EQ(signals.take(), SIGPIPE);
}

TEST(RunProgram, LinesAsTheyComeAndEnoughIsEnough) {
    ProgramOptions options;
    std::vector<std::string> lines;
    options.on_line = [&](const std::string& line) {
        lines.push_back(line);
        return line != "two";
    };
    const auto run = run_program({"sh", "-c", "echo one; echo two; sleep 60"}, options);
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->ended);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

TEST(RunProgram, FolderAndEnvironment) {
    ProgramOptions options;
    options.folder = "/";
    options.environment = {{"ZCRXLAB_TEST", "value"}};
    EXPECT_EQ(run_program({"sh", "-c", "pwd; echo $ZCRXLAB_TEST"}, options)->output, "/\nvalue\n");
}

TEST(LastLines, Few) {
    EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc");
    EXPECT_EQ(last_lines("a", 2), "a");
    EXPECT_EQ(last_lines("", 2), "");
}

}  // namespace
}  // namespace zcrxlab
