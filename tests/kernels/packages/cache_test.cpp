// The cache folder: where it is, one holder at a time, whole or not at all.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "harness/base/file.hpp"
#include "kernels/packages/cache.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

TEST(Cache, IsWhereTheEnvironmentSays) {
    const fake::Variable home("HOME", "/home/somebody");
    {
        const fake::Variable own("ZCRXLAB_CACHE", "");
        const fake::Variable xdg("XDG_CACHE_HOME", "");
        EXPECT_EQ(Cache::from_environment()->root(), "/home/somebody/.cache/zcrxlab");
        const fake::Variable set("XDG_CACHE_HOME", "/var/x");
        EXPECT_EQ(Cache::from_environment()->root(), "/var/x/zcrxlab");
    }
    const fake::Variable own("ZCRXLAB_CACHE", "/var/own");
    EXPECT_EQ(Cache::from_environment()->root(), "/var/own");
    const fake::Variable bad("ZCRXLAB_CACHE", "/var/with space");
    EXPECT_EQ(Cache::from_environment().error().code, EINVAL);
}

TEST(Cache, LockHasOneHolderAndRemovesLeftovers) {
    const fake::Folder folder;
    const Cache cache(folder.path() / "c");
    auto first = cache.lock({});
    ASSERT_TRUE(first);
    const auto left = cache.temporary_folder();
    ASSERT_TRUE(left);
    bool told = false;
    std::thread second([&] {
        const auto lock = cache.lock([&](const std::string&) { told = true; });
        EXPECT_TRUE(lock);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(fs::exists(*left));
    first->reset();
    second.join();
    EXPECT_TRUE(told);
    EXPECT_FALSE(fs::exists(*left));
}

TEST(Cache, PlacesAFolderInOneStep) {
    const fake::Folder folder;
    const Cache cache(folder.path());
    const auto lock = cache.lock({});
    for (const char* text : {"old", "new"}) {
        const auto filled = cache.temporary_folder();
        ASSERT_TRUE(filled);
        fake::write(*filled / "file", text);
        ASSERT_TRUE(cache.place(*filled, "kernels/x"));
        EXPECT_EQ(fake::read(folder.path() / "kernels/x/file"), text);
        EXPECT_FALSE(fs::exists(*filled));
    }
}

TEST(Cache, ThatCannotBeWrittenSaysWhatToType) {
    const fake::Folder folder;
    fake::write(folder.path() / "file", "");
    const Cache cache(folder.path() / "file" / "cache");
    const auto lock = cache.lock({});
    ASSERT_FALSE(lock);
    EXPECT_NE(lock.error().sentence.find("export ZCRXLAB_CACHE"), std::string::npos);
    EXPECT_FALSE(cache.check_writable());
    EXPECT_TRUE(Cache(folder.path()).check_writable());
}

TEST(WriteWhole, ReplacesAndLeavesNothingBeside) {
    const fake::Folder folder;
    ASSERT_TRUE(write_whole(folder.path() / "a" / "f", "one"));
    ASSERT_TRUE(write_whole(folder.path() / "a" / "f", "two"));
    EXPECT_EQ(*read_file(folder.path() / "a" / "f", 100), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "a"), {}), 1);
}

}  // namespace
}  // namespace zcrxlab
