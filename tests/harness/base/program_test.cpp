// Other programs are run to their end, within their time, with what they say kept.
#include <gtest/gtest.h>

#include <chrono>

#include "harness/base/program.hpp"

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
