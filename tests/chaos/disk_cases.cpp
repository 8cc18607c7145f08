// Disks that are full, before and in the middle of a run.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/file.hpp"
#include "tests/chaos/sandbox.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr const char* kNoDisk = "Only root can mount a small disk; type: sudo ci/chaos";

// Writes until nothing fits any more.
void fill_up(const fs::path& disk) {
    const Fd file(::open((disk / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    std::string piece(1 << 16, 'x');
    while (!piece.empty())
        if (::write(file.get(), piece.data(), piece.size()) < 0) piece.resize(piece.size() / 2);
}

TEST_F(Chaos, ACacheWithoutRoom) {
    is("zcrxlab run, cache with 1 MB free", "64 within 20 s, with what is needed");
    const auto disk = small_disk(1 << 20);
    if (!disk) GTEST_SKIP() << kNoDisk;
    Started run = shell("ZCRXLAB_CACHE='" + disk->string() +
                        "/zcrxlab' exec zcrxlab run --filter receive.one_byte");
    const Ended ended = run.end(seconds(60));
    saw(ended);
    EXPECT_EQ(ended.code, 64) << ended.error;
    EXPECT_LE(ended.seconds, 20);
    EXPECT_NE(ended.error.find("There is not enough space for"), std::string::npos) << ended.error;
    EXPECT_NE(ended.error.find("export ZCRXLAB_CACHE="), std::string::npos) << ended.error;
    EXPECT_EQ(left(), "");
}

TEST_F(Chaos, ResultsWithoutRoomFromTheStart) {
    is("zcrxlab run --out on a full disk", "64, with the path");
    const auto disk = small_disk(1 << 20);
    if (!disk) GTEST_SKIP() << kNoDisk;
    fill_up(*disk);
    const Ended ended = run({"zcrxlab", "run", "--filter", "receive.one_byte", "--out", *disk});
    saw(ended);
    EXPECT_EQ(ended.code, 64) << ended.error;
    EXPECT_NE(ended.error.find(disk->string()), std::string::npos) << ended.error;
    EXPECT_EQ(left(), "");
}

TEST_F(Chaos, ADiskThatFillsDuringTheRun) {
    is("zcrxlab run --out on a disk that is full after the first result",
       "74, each verdict in results.json and ended.jsonl, the paths of the rest");
    const auto disk = small_disk(64 << 20);
    if (!disk) GTEST_SKIP() << kNoDisk;
    fs::create_directory_symlink(*disk, out());
    Started run = start({"zcrxlab", "run", "--nic", "nodev", "--vms", "1", "--filter",
                         "receive.*:accounting.*:registration.*", "--out", *disk});
    EXPECT_TRUE(run.says("passed "));
    fill_up(*disk);
    const Ended ended = run.end();
    saw(ended);
    EXPECT_EQ(ended.code, 74) << ended.output << ended.error;
    EXPECT_NE(ended.error.find((*disk / "trace.jsonl").string() + ": No space left on device"),
              std::string::npos)
        << ended.error;
    const auto told = results();
    ASSERT_TRUE(told);
    const std::string lines = text_of_file(*disk / "ended.jsonl");
    saw(fmt::format("{} scenarios in results.json, {} in ended.jsonl", told->tests.size(),
                    std::ranges::count(lines, '\n')));
    EXPECT_GT(told->tests.size(), 20U);
    EXPECT_EQ(std::ranges::count(lines, '\n'), static_cast<std::ptrdiff_t>(told->tests.size()));
    EXPECT_FALSE(text_of_file(*disk / "results.xml").empty());
    EXPECT_EQ(left(), "");
}

}  // namespace
}  // namespace zcrxlab
