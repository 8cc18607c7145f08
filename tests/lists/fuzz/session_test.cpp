// Fuzz sessions whose time is up, with a program in place of "zcrxlab run".
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/base/exit_code.hpp"
#include "lists/fuzz/fuzz_session.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class FuzzSessionTest : public ::testing::Test {
  protected:
    // How a session of so many seconds ends whose VM does this. `out` is its folder.
    int ends_with(const std::string& program, unsigned seconds) {
        const fs::path path = folder_.path() / "zcrxlab";
        std::ofstream(path) << "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n"
                               "    [ \"$1\" = --out ] && out=$2\n    shift\ndone\n"
                               "mkdir -p \"$out\"\n"
                            << program;
        fs::permissions(path, fs::perms::owner_all);
        FuzzOptions options;
        options.self = path;
        options.vm.out = folder_.path() / "out";
        options.seconds = seconds;
        options.jobs = 1;
        testing::internal::CaptureStdout();
        const int code = FuzzSession(options).run();
        said_ = testing::internal::GetCapturedStdout();
        return code;
    }
    bool says(const std::string& words) const { return said_.find(words) != std::string::npos; }

    TemporaryFolder folder_;
    std::string said_;
};

TEST_F(FuzzSessionTest, WhoseTimeIsUpWhileItBootsSaysSo) {
    EXPECT_EQ(ends_with("exec sleep 30\n", 1), kExitSkipped);
    EXPECT_TRUE(
        says("No list was run: the time was up before the guest had come to the first "
             "one."))
        << said_;
    EXPECT_FALSE(says("no list failed")) << said_;
}

TEST_F(FuzzSessionTest, WhoseTimeIsUpEndsWithItsFailures) {
    EXPECT_EQ(ends_with("echo '{\"name\": \"actions.0000\", \"status\": \"failed\", \"message\": "
                        "\"I1 (all bytes) does not hold: stream 1 has 3 at position 7\"}' "
                        ">\"$out/ended.jsonl\"\nexec sleep 30\n",
                        3),
              kExitFailed);
    EXPECT_TRUE(says("(list 0): Stream 1 has 3 at position 7.")) << said_;
    EXPECT_FALSE(says("#")) << said_;
}

TEST_F(FuzzSessionTest, WithoutAVmIsAnError) {
    // It ends long before its time, however busy the machine is.
    EXPECT_EQ(ends_with("echo 'There is no QEMU.'\n", 600), kExitUsage);
}

}  // namespace
}  // namespace zcrxlab
