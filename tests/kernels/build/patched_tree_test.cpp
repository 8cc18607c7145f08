// A fragment can name patches; the tree stays as it is, and only what changed has a new time.
#include <gtest/gtest.h>

#include <chrono>

#include "kernels/build/fragment.hpp"
#include "kernels/build/patched_tree.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class PatchedTree : public testing::Test {
  protected:
    void SetUp() override {
        folder_.write("tree/Kbuild", "");
        folder_.write("tree/arch/x86/Kconfig", "");
        folder_.write("tree/io_uring/zcrx.c", "one\ntwo\nthree\n");
        folder_.write("base.config", "# patches are none of its\nCONFIG_NET=y\n");
        folder_.write("slow.config", "# It takes longer.\n# patches: delays\n");
        folder_.write("delays/README", "no patch\n");
        folder_.write("delays/1-two.patch", patch_of(" one\n-two\n+2\n three\n"));
        folder_.write("delays/2-three.patch", patch_of(" one\n 2\n-three\n+3\n"));
    }
    static std::string patch_of(const std::string& lines) {
        return "It is another number.\n--- a/io_uring/zcrx.c\n+++ b/io_uring/zcrx.c\n@@ -1,3 +1,3 "
               "@@\n" +
               lines;
    }
    Result<fs::path> made(const std::vector<fs::path>& fragments) const {
        std::vector<fs::path> files;
        for (const fs::path& name : fragments) files.push_back(root_ / name);
        return patched_tree(root_ / "tree", files, root_ / "twin");
    }

    const TemporaryFolder folder_;
    const fs::path& root_ = folder_.path();
};

TEST_F(PatchedTree, IsTheTreeItselfWhereNoFragmentNamesPatches) {
    const auto tree = made({"base.config"});
    ASSERT_TRUE(tree);
    EXPECT_EQ(*tree, root_ / "tree");
    EXPECT_FALSE(fs::exists(root_ / "twin"));
}

TEST_F(PatchedTree, HasThePatchesInTheOrderOfTheirNames) {
    const auto tree = made({"base.config", "slow.config"});
    ASSERT_TRUE(tree) << tree.error().sentence;
    EXPECT_EQ(*tree, root_ / "twin");
    EXPECT_EQ(folder_.read("twin/io_uring/zcrx.c"), "one\n2\n3\n");
    EXPECT_EQ(folder_.read("tree/io_uring/zcrx.c"), "one\ntwo\nthree\n");
}

TEST_F(PatchedTree, ASourceThatIsAsItWasIsNotCompiledAgain) {
    ASSERT_TRUE(made({"slow.config"}));
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(100);
    fs::last_write_time(root_ / "twin/io_uring/zcrx.c", long_ago);
    ASSERT_TRUE(made({"slow.config"}));
    EXPECT_EQ(fs::last_write_time(root_ / "twin/io_uring/zcrx.c"), long_ago);

    folder_.write("delays/2-three.patch", patch_of(" one\n 2\n-three\n+4\n"));
    ASSERT_TRUE(made({"slow.config"}));
    EXPECT_EQ(folder_.read("twin/io_uring/zcrx.c"), "one\n2\n4\n");
    EXPECT_GT(fs::last_write_time(root_ / "twin/io_uring/zcrx.c"), long_ago);
}

TEST_F(PatchedTree, NamesAPatchThatDoesNotFitAndWhatDoes) {
    folder_.write("tree/io_uring/zcrx.c", "one\ntwo\nfour\n");
    const auto tree = made({"slow.config"});
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().code, EINVAL);
    EXPECT_NE(tree.error().sentence.find("1-two.patch does not fit this kernel"), std::string::npos)
        << tree.error().sentence;
    EXPECT_NE(tree.error().sentence.find("Type --source 7.3"), std::string::npos)
        << tree.error().sentence;
}

TEST_F(PatchedTree, AFolderWithoutPatchesIsNamed) {
    folder_.write("slow.config", "# patches: elsewhere\n");
    const auto tree = made({"slow.config"});
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().code, ENOENT);
    EXPECT_NE(tree.error().sentence.find("elsewhere"), std::string::npos);
}

// All of a home directory, say, would be linked.
TEST_F(PatchedTree, WhatIsNoTreeIsNotLinked) {
    fs::remove(root_ / "tree/Kbuild");
    const auto tree = made({"slow.config"});
    ASSERT_FALSE(tree);
    EXPECT_NE(tree.error().sentence.find("is no kernel tree"), std::string::npos);
    EXPECT_FALSE(fs::exists(root_ / "twin"));
}

}  // namespace
}  // namespace zcrxlab
