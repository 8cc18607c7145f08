// Standard output that cannot be written is told at the end, and ends nothing before.
#include "harness/base/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "harness/base/exit_code.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

struct Ended {
    int code = 0;
    std::string error;  // what it said on standard error
};

// A command of its own process that prints to `output` and would end with `code`.
Ended command(int output, int code) {
    const TemporaryFolder folder;
    const std::string said = (folder.path() / "error").string();
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(::open(said.c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        sigset_t pipe;
        ::sigemptyset(&pipe);
        ::sigaddset(&pipe, SIGPIPE);
        ::sigprocmask(SIG_BLOCK, &pipe, nullptr);
        StandardOutput guarded;
        // Each of these would throw.
        for (int i = 0; i < 10'000; ++i) fmt::print("line {}\n", i);
        ::_exit(guarded.finish(code));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("error")};
}

TEST(StandardOutput, ThatIsWrittenIsNothing) {
    const TemporaryFolder folder;
    const int file = ::open((folder.path() / "output").c_str(), O_WRONLY | O_CREAT, 0600);
    const Ended ended = command(file, 0);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.error, "");
    EXPECT_TRUE(folder.read("output").ends_with("line 9998\nline 9999\n"));
    ::close(file);
}

TEST(StandardOutput, ThatIsFullIsAnErrorUnlessThereIsAWorseOne) {
    const int full = ::open("/dev/full", O_WRONLY);
    const Ended passed = command(full, kExitPassed);
    EXPECT_EQ(passed.code, kExitNotWritten);
    EXPECT_NE(passed.error.find("No space left on device"), std::string::npos) << passed.error;
    EXPECT_EQ(command(full, kExitSkipped).code, kExitNotWritten);
    EXPECT_EQ(command(full, kExitFailed).code, kExitFailed);
    EXPECT_EQ(command(full, kExitLost).code, kExitLost);
    ::close(full);
}

TEST(StandardOutput, ThatNobodyReadsIsNoError) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    const Ended ended = command(ends[1], 0);
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.error, "");
    ::close(ends[1]);
}

}  // namespace
}  // namespace zcrxlab
