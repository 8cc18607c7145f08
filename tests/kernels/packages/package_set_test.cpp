// Packages are unpacked whole and checked, or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <optional>

#include "kernels/packages/package_set.hpp"
#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class PackageSets : public testing::Test {
  protected:
    void SetUp() override {
        if (!fake::have_dpkg_deb()) GTEST_SKIP() << "needs dpkg-deb: apt install dpkg";
        const fs::path root = folder_.path() / "root";
        fake::write(root / "usr/lib/modules/7.3/vmlinuz", "image");
        fake::write(root / "usr/bin/tool", "tool");
        fake::write(root / "etc/config", "config");
        ::chmod((root / "usr/bin/tool").c_str(), 04755);
        apt_.add_package("pkg", "1.0", root);
        set_.place = "sets/one";
        set_.title = "a set";
        set_.request.packages = {"pkg=1.0"};
        set_.kept = {"usr/lib/modules"};
        auto opened = PrivateApt::open(cache_.root() / "apt", {"http://mirror.invalid", "/k"},
                                       {"trixie-backports"});
        ASSERT_TRUE(opened);
        private_apt_.emplace(std::move(*opened));
        lock_ = std::move(*cache_.lock({}));
    }
    Result<fs::path> fetch() {
        return fetch_package_set(cache_, *private_apt_, set_,
                                 [this](const std::string& line) { progress_ += line + "\n"; });
    }
    fs::path downloaded() const {
        return cache_.root() / "apt/downloads" / fake::Apt::file_name("pkg", "1.0");
    }
    size_t fetches() const {
        size_t count = 0;
        const std::string calls = apt_.calls();
        for (size_t at = calls.find(" download -o"); at != std::string::npos;
             at = calls.find(" download -o", at + 1))
            ++count;
        return count;
    }

    fake::Folder folder_;
    fake::Apt apt_;
    Cache cache_{folder_.path() / "cache"};
    std::optional<PrivateApt> private_apt_;
    Fd lock_;
    PackageSet set_;
    std::string progress_;
};

TEST_F(PackageSets, FetchedCheckedUnpackedAndPruned) {
    const auto folder = fetch();
    ASSERT_TRUE(folder) << folder.error().sentence;
    EXPECT_EQ(*folder, cache_.root() / "sets/one");
    EXPECT_EQ(fake::read(*folder / "usr/lib/modules/7.3/vmlinuz"), "image");
    EXPECT_FALSE(fs::exists(*folder / "usr/bin"));
    EXPECT_FALSE(fs::exists(*folder / "etc"));
    EXPECT_NE(fake::read(*folder / "packages.txt").find("pkg_1.0_amd64.deb"), std::string::npos);
    EXPECT_FALSE(fs::exists(downloaded()));
    EXPECT_NE(progress_.find("fetching a set"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(cache_.root() / "tmp"));
}

TEST_F(PackageSets, WholeUnpackingLosesSetUserId) {
    set_.kept.clear();
    const auto folder = fetch();
    ASSERT_TRUE(folder);
    struct stat status {};
    ASSERT_EQ(::stat((*folder / "usr/bin/tool").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(PackageSets, TruncatedDownloadIsFetchedAgain) {
    fake::write(downloaded(), "half of it");
    ASSERT_TRUE(fetch());
    EXPECT_EQ(fetches(), 1U);
}

TEST_F(PackageSets, ChangedDownloadOfTheSameSizeIsFetchedAgain) {
    ASSERT_TRUE(fetch());
    const auto size =
        static_cast<size_t>(std::stoul(fake::read(cache_.root() / "sets/one/packages.txt")
                                           .substr(std::strlen("pkg_1.0_amd64.deb "))));
    fake::write(downloaded(), std::string(size, 'x'));
    ASSERT_TRUE(fetch());
    EXPECT_EQ(fetches(), 2U);
    EXPECT_EQ(fake::read(cache_.root() / "sets/one/usr/lib/modules/7.3/vmlinuz"), "image");
}

TEST_F(PackageSets, WhatIsNotWhatWasSignedIsNotUsed) {
    apt_.serve_instead("pkg", "1.0", "something else");
    const auto folder = fetch();
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().code, EIO);
    // Twice with the lists that there were, twice with new ones.
    EXPECT_EQ(fetches(), 4U);
    EXPECT_FALSE(fs::exists(cache_.root() / "sets"));
    EXPECT_FALSE(fs::exists(downloaded()));
}

TEST(Prune, KeepsWhatLeadsToTheKept) {
    const fake::Folder folder;
    for (const char* file : {"usr/bin/qemu", "usr/bin/qemu-nbd", "usr/share/qemu/a", "var/x"})
        fake::write(folder.path() / file, "x");
    fs::create_symlink("/nowhere", folder.path() / "link");
    prune(folder.path(), {"usr/bin/qemu", "usr/share"});
    EXPECT_TRUE(fs::exists(folder.path() / "usr/bin/qemu"));
    EXPECT_TRUE(fs::exists(folder.path() / "usr/share/qemu/a"));
    EXPECT_FALSE(fs::exists(folder.path() / "usr/bin/qemu-nbd"));
    EXPECT_FALSE(fs::exists(folder.path() / "var"));
    EXPECT_FALSE(fs::is_symlink(folder.path() / "link"));
}

}  // namespace
}  // namespace zcrxlab
