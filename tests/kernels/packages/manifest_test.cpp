// Damage of each kind is seen, and what is whole is not read again.
#include "kernels/packages/manifest.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdint>

#include "tests/fakes/fake_tree.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class Manifests : public testing::Test {
  protected:
    void SetUp() override {
        fake::write(set() / "usr/bin/tool", "tool");
        fake::write(set() / "usr/lib/lib.so.1", "library");
        fs::create_symlink("lib.so.1", set() / "usr/lib/lib.so");
        ASSERT_TRUE(write_manifest(set()));
        ASSERT_TRUE(check_manifest(set(), Look::kWhole));
    }
    fs::path set() const { return folder_.path() / "set"; }
    // Writes `text` into the tool, which is as old as before.
    void change_secretly(const std::string& text) const {
        const fs::path tool = set() / "usr/bin/tool";
        const auto time = fs::last_write_time(tool);
        fake::write(tool, text);
        fs::last_write_time(tool, time);
    }
    std::string complaint(Look look = Look::kSizesAndTimes) const {
        const auto whole = check_manifest(set(), look);
        return whole ? "" : whole.error().sentence;
    }

    fake::Folder folder_;
};

TEST_F(Manifests, AFileThatIsMissingShorterOrAnotherIsNamed) {
    fake::write(set() / "usr/bin/tool", "too");
    EXPECT_NE(complaint().find("usr/bin/tool has 3 bytes in place of 4"), std::string::npos);
    fake::write(set() / "usr/bin/tool", "fool");
    EXPECT_NE(complaint().find("usr/bin/tool has another content"), std::string::npos);
    fs::remove(set() / "usr/bin/tool");
    EXPECT_NE(complaint().find("usr/bin/tool is missing"), std::string::npos);
    fs::create_symlink("/bin/true", set() / "usr/bin/tool");
    EXPECT_NE(complaint().find("usr/bin/tool is another file"), std::string::npos);
    EXPECT_EQ(check_manifest(set(), Look::kSizesAndTimes).error().code, EIO);
}

TEST_F(Manifests, ALinkThatLeadsElsewhereIsNamed) {
    fs::remove(set() / "usr/lib/lib.so");
    fs::create_symlink("lib.so.2", set() / "usr/lib/lib.so");
    EXPECT_NE(complaint().find("usr/lib/lib.so is another file"), std::string::npos);
}

TEST_F(Manifests, WhatIsAsLongAndAsOldIsSeenByTheWholeLook) {
    change_secretly("fool");
    EXPECT_EQ(complaint(), "");
    EXPECT_NE(complaint(Look::kWhole).find("usr/bin/tool has another content"), std::string::npos);
}

// A cache that was copied has other times: it is read once.
TEST_F(Manifests, AnotherTimeAloneIsNoDamage) {
    fs::last_write_time(set() / "usr/bin/tool",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(complaint(), "");
    // It is not read any more, or this would be seen.
    change_secretly("fool");
    EXPECT_EQ(complaint(), "");
}

TEST_F(Manifests, ALookThatReadsOneFileBlessesNoOther) {
    change_secretly("fool");
    fs::last_write_time(set() / "usr/lib/lib.so.1",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(complaint(), "");
    EXPECT_NE(complaint(Look::kWhole).find("usr/bin/tool"), std::string::npos);
}

TEST_F(Manifests, WhatIsMarkedStaysDamaged) {
    mark_damaged(set());
    EXPECT_NE(complaint(), "");
    EXPECT_NE(complaint(Look::kWhole), "");
}

TEST_F(Manifests, AListThatIsCutOrNoneIsDamage) {
    const std::string text = fake::read(set() / kManifest);
    for (size_t size = 0; size < text.size(); ++size) {
        fake::write(set() / kManifest, text.substr(0, size));
        EXPECT_NE(complaint(), "") << size;
    }
    for (const char* line :
         {"file\tx\t1\t1.0\tpath\nend\t1\n", "link\tx\nend\t1\n", "end\t1\n", "end\t0\nend\t0\n",
          "\n", "end\t-0\n", "end\t0\t\n", "link\tx\t\nend\t1\n", "link\tx\t\t\nend\t1\n",
          "link\t\tpath\nend\t1\n"})
        EXPECT_FALSE(manifest_from_text(line)) << line;
}

TEST_F(Manifests, AnOlderCacheGetsOneOfWhatItIs) {
    fs::remove(set() / kManifest);
    EXPECT_EQ(complaint(), "");
    ASSERT_TRUE(fs::exists(set() / kManifest));
    fake::write(set() / "usr/bin/tool", "x");
    EXPECT_NE(complaint(), "");
}

}  // namespace
}  // namespace zcrxlab
