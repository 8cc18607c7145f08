// Which places are hidden, and that nothing is read through what covers them.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tests/fakes/temporary_folder.hpp"
#include "vm/hide/covers.hpp"
#include "vm/hide/hidden_places.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class HiddenPlaces : public testing::Test {
  protected:
    HiddenPlaces() {
        for (const char* file :
             {"home/ann/.ssh/id_ed25519", "home/ann/.netrc", "home/ann/.config/gh/hosts.yml",
              "home/ann/.config/fish/config.fish", "etc/shadow", "etc/passwd",
              "etc/ssh/ssh_host_rsa_key", "etc/ssh/ssh_host_rsa_key.pub", "root/x", "more/token",
              "elsewhere/keys"})
            folder_.write(file, "secret");
        fs::create_directory_symlink(folder_.path() / "elsewhere",
                                     folder_.path() / "home/ann/.gnupg");
        order_.root = folder_.path();
        order_.homes = {"/home/ann", "/home/nobody-has-it"};
    }
    std::string in(const char* place) const { return (folder_.path() / place).string(); }
    std::vector<fs::path> all(const std::vector<const char*>& places) const {
        std::vector<fs::path> paths;
        for (const char* place : places) paths.push_back(folder_.path() / place);
        return paths;
    }

    TemporaryFolder folder_;
    HidingOrder order_;
};

TEST_F(HiddenPlaces, AreTheUsualOnesThatAreThereBehindTheirLinks) {
    EXPECT_EQ(*hidden_places(order_),
              all({"elsewhere", "etc/shadow", "etc/ssh/ssh_host_rsa_key", "home/ann/.config/gh",
                   "home/ann/.netrc", "home/ann/.ssh", "root"}));
    order_.as_root = true;
    EXPECT_TRUE(hidden_by(*hidden_places(order_), in("root/x")).empty());
}

TEST_F(HiddenPlaces, CanBeMoreOrFewer) {
    order_.hide = {in("more"), in("more/token"), in("home/ann/.ssh/id_ed25519")};
    order_.show = {in("home/ann/.netrc"), in("etc"), in("no-such-place")};
    EXPECT_EQ(*hidden_places(order_),
              all({"elsewhere", "home/ann/.config/gh", "home/ann/.ssh", "more", "root"}));
    order_.show = {"/"};
    EXPECT_TRUE(hidden_places(order_)->empty());
}

TEST_F(HiddenPlaces, NonsenseIsRefused) {
    order_.hide = {in("no-such-place")};
    EXPECT_EQ(hidden_places(order_).error().code, ENOENT);
    order_.hide = {"/"};
    EXPECT_EQ(hidden_places(order_).error().code, EINVAL);
    order_.hide = {};
    order_.show = {in("home/ann/.ssh/id_ed25519")};
    const auto part = hidden_places(order_);
    ASSERT_FALSE(part);
    EXPECT_NE(part.error().sentence.find("--show " + in("home/ann/.ssh")), std::string::npos);
}

TEST_F(HiddenPlaces, WhatIsBelowOneIsHidden) {
    const auto hidden = *hidden_places(order_);
    EXPECT_EQ(hidden_by(hidden, in("home/ann/.ssh/id_ed25519")), in("home/ann/.ssh"));
    EXPECT_EQ(hidden_by(hidden, in("etc/shadow")), in("etc/shadow"));
    for (const char* open : {"etc/passwd", "home/ann/.sshd", "home/ann", "etc/shadow-"})
        EXPECT_TRUE(hidden_by(hidden, in(open)).empty()) << open;
}

std::string content(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// In a child, as it moves where it does not come back from: 0 if nothing is to be read there.
int look_behind_covers(const TemporaryFolder& folder, bool as_root) {
    if (!as_root && ::geteuid() == 0 && (::setgid(12345) != 0 || ::setuid(12345) != 0)) return 1;
    // Who has just become another user has a /proc/self of root's.
    ::prctl(PR_SET_DUMPABLE, 1);
    const std::vector<fs::path> places{folder.path() / "keys", folder.path() / "token"};
    if (auto covered = cover(places); !covered) return covered.error().code == EPERM ? 77 : 2;
    if (content(folder.path() / "open") != "text") return 3;
    if (!fs::is_empty(folder.path() / "keys")) return 4;
    return content(folder.path() / "token").empty() ? 0 : 5;
}

TEST(Covers, NothingIsReadThroughThemAndOthersDoNotSeeThem) {
    const TemporaryFolder folder;
    folder.write("keys/id", "secret");
    folder.write("token", "secret");
    folder.write("open", "text");
    fs::permissions(folder.path(), fs::perms::others_all, fs::perm_options::add);
    for (const bool as_root : {false, true}) {
        if (as_root && ::geteuid() != 0) continue;
        const pid_t child = ::fork();
        if (child == 0) ::_exit(look_behind_covers(folder, as_root));
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status));
        if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "this machine lets nobody cover anything";
        EXPECT_EQ(WEXITSTATUS(status), 0) << (as_root ? "as root" : "as a user");
    }
    EXPECT_EQ(folder.read("keys/id"), "secret");
    EXPECT_EQ(folder.read("token"), "secret");
}

}  // namespace
}  // namespace zcrxlab
