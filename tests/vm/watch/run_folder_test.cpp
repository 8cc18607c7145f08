// The folder of a run is private, goes with it, and takes stale ones along.
#include "vm/watch/run_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <fstream>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(RunFolderTest, IsGoneAfterwards) {
    fs::path path;
    {
        auto folder = RunFolder::create();
        ASSERT_TRUE(folder) << folder.error().sentence;
        path = folder->path();
        std::ofstream(path / "receiver.sock") << "x";
        struct stat status {};
        ASSERT_EQ(::stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0700U);
        EXPECT_LT((path / "receiver.sock").native().size(), sizeof(sockaddr_un::sun_path));
        const RunFolder moved = std::move(*folder);
        EXPECT_TRUE(fs::exists(path));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(RunFolderTest, TwoRunsHaveTwo) {
    auto first = RunFolder::create();
    auto second = RunFolder::create();
    ASSERT_TRUE(first && second);
    EXPECT_NE(first->path(), second->path());
    EXPECT_TRUE(fs::exists(first->path()));
}

TEST(RunFolderTest, ALongRuntimeFolderIsNotUsed) {
    const TemporaryFolder base;
    const fs::path deep = base.path() / std::string(80, 'd');
    fs::create_directory(deep);
    ::setenv("XDG_RUNTIME_DIR", deep.c_str(), 1);
    auto folder = RunFolder::create();
    ::unsetenv("XDG_RUNTIME_DIR");
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->path().parent_path(), "/tmp");
}

}  // namespace
}  // namespace zcrxlab
