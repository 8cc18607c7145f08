// What guest init reads and starts: variables, programs.
#include "vm/guest/init/launch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/guest/init/environment.hpp"

namespace zcrxlab {
namespace {

TEST(UserProcess, IsNoKernelThreadAndAlive) {
    EXPECT_EQ(user_process_in("41 (sleep) S 1 41 41 0 -1 4194304 90 0"), "sleep");
    EXPECT_EQ(user_process_in("42 (a) b (c) R 1 42 42 0 -1 4194304 90 0"), "a) b (c");
    for (const char* none :
         {"2 (kthreadd) S 0 0 0 0 -1 2129984 0", "43 (sh) Z 1 43 43 0 -1 4194316 90",
          "44 (sh) X 1 44 44 0 -1 4194304 90", "45 (sh) S 1 45 45 0 -1", "46 sh S 1 46 46 0 -1 0",
          ") (", ""})
        EXPECT_FALSE(user_process_in(none)) << none;
}

TEST(Variables, ArePiecesWithAName) {
    const std::string text("A=1\0B=two words\nand a line\0=x\0none\0C=\0", 38);
    EXPECT_EQ(parse_variables(text, '\0'),
              (Variables{{"A", "1"}, {"B", "two words\nand a line"}, {"C", ""}}));
    EXPECT_EQ(parse_variables("ZCRX_QUEUE=3", '\n'), (Variables{{"ZCRX_QUEUE", "3"}}));
}

TEST(Preparation, SaysVariablesOrWhyNot) {
    const auto said = run_preparation({"sh", "-c", "echo X=$Y; echo Z=2"}, {"Y=1", "PATH=/bin"});
    ASSERT_TRUE(said) << said.error().sentence;
    EXPECT_EQ(*said, (Variables{{"X", "1"}, {"Z", "2"}}));
    const auto failed = run_preparation({"sh", "-c", "echo no queue; exit 1"}, {"PATH=/bin"});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().sentence, "no queue");
}

int code_of(const Result<pid_t>& pid) {
    int status = 0;
    ::waitpid(*pid, &status, 0);
    return Ended{*pid, status}.code();
}

TEST(Launch, IsInItsFolderWithItsEnvironmentAndItsPath) {
    const TemporaryFolder folder;
    folder.write("tool", "#!/bin/sh\n[ \"$A\" = b ] && [ \"$PWD\" = \"$1\" ] && exit 7\n");
    std::filesystem::permissions(folder.path() / "tool", std::filesystem::perms::all);
    Launch launch;
    launch.arguments = {"tool", folder.path().string()};
    launch.environment = {"A=b", "PATH=" + folder.path().string()};
    launch.folder = folder.path();
    const auto pid = start_program(launch);
    ASSERT_TRUE(pid) << pid.error().sentence;
    EXPECT_EQ(code_of(pid), 7);
}

TEST(Launch, SaysWhatCouldNotBeDone) {
    Launch launch;
    launch.arguments = {"no-such-program"};
    launch.environment = {"PATH=/bin"};
    auto pid = start_program(launch);
    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code, ENOENT);
    EXPECT_NE(pid.error().sentence.find("start no-such-program"), std::string::npos);
    launch.arguments = {"/bin/true"};
    launch.folder = "/no/such/folder";
    pid = start_program(launch);
    ASSERT_FALSE(pid);
    EXPECT_NE(pid.error().sentence.find("enter the folder"), std::string::npos);
}

TEST(Launch, ATerminalIsOne) {
    auto terminal = open_terminal(std::nullopt);
    if (!terminal) GTEST_SKIP() << terminal.error().sentence;
    set_window(terminal->ours, "43 132");
    Launch launch;
    launch.arguments = {"sh", "-c", "test -t 0 && test -t 1 && test \"$(stty size)\" = '43 132'"};
    launch.environment = {"PATH=/usr/bin:/bin"};
    launch.terminal = terminal->program.get();
    const auto pid = start_program(launch);
    ASSERT_TRUE(pid) << pid.error().sentence;
    EXPECT_EQ(code_of(pid), 0);
}

}  // namespace
}  // namespace zcrxlab
