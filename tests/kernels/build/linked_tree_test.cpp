// A twin can be changed, and the tree that it was made from cannot be by that.
#include <gtest/gtest.h>

#include <chrono>

#include "kernels/build/linked_tree.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class LinkedTreeTest : public testing::Test {
  protected:
    void SetUp() override {
        write("tree/io_uring/zcrx.c", "one\ntwo\nthree\n");
        write("tree/io_uring/other.c", "other\n");
        write("tree/.git/config", "git\n");
        fs::create_symlink("zcrx.c", root_ / "tree/io_uring/link.c");
        for (const char* name : {"zcrx.c", "other.c"})
            fs::last_write_time(root_ / "tree/io_uring" / name, kLongAgo);
        write("good.patch",
              "Two is lost.\n--- a/io_uring/zcrx.c\n+++ b/io_uring/zcrx.c\n@@ -1,3 +1,2 @@\n "
              "one\n-two\n three\n");
        write("bad.patch",
              "--- a/io_uring/zcrx.c\n+++ b/io_uring/zcrx.c\n@@ -1,3 +1,2 @@\n one\n-four\n "
              "three\n");
    }
    void write(const std::string& name, const std::string& text) const {
        folder_.write(name, text);
    }
    std::string text_of(const std::string& name) const { return folder_.read(name); }
    SourcePatch patch(const std::string& name) const {
        auto parsed = parse_source_patch(text_of(name), root_ / name);
        EXPECT_TRUE(parsed) << parsed.error().sentence;
        return parsed ? *parsed : SourcePatch();
    }
    LinkedTree twin() const {
        auto tree = LinkedTree::create(root_ / "tree", root_ / "twin");
        EXPECT_TRUE(tree) << tree.error().sentence;
        return *tree;
    }
    fs::file_time_type time_of(const std::string& name) const {
        return fs::last_write_time(root_ / name);
    }

    const fs::file_time_type kLongAgo = fs::file_time_type::clock::now() - std::chrono::hours(100);
    TemporaryFolder folder_;
    const fs::path root_ = folder_.path();
};

TEST_F(LinkedTreeTest, IsTheTreeWithoutItsHistory) {
    twin();
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    EXPECT_EQ(fs::hard_link_count(root_ / "twin/io_uring/zcrx.c"), 2U);
    EXPECT_TRUE(fs::is_symlink(root_ / "twin/io_uring/link.c"));
    EXPECT_FALSE(fs::exists(root_ / "twin/.git"));
}

TEST_F(LinkedTreeTest, IsChangedAloneAndRestored) {
    LinkedTree tree = twin();
    ASSERT_TRUE(tree.apply({patch("good.patch")}));
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\nthree\n");
    EXPECT_EQ(text_of("tree/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    EXPECT_EQ(time_of("tree/io_uring/zcrx.c"), kLongAgo);
    EXPECT_EQ(time_of("twin/io_uring/other.c"), kLongAgo);
    ASSERT_TRUE(tree.restore(patch("good.patch")));
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    // A build has to see that it is another file than the one that it compiled.
    EXPECT_GT(time_of("twin/io_uring/zcrx.c"), kLongAgo);
}

TEST_F(LinkedTreeTest, ASourceIsReplacedAlone) {
    LinkedTree tree = twin();
    ASSERT_TRUE(tree.replace("io_uring/zcrx.c", "four\n"));
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "four\n");
    EXPECT_EQ(text_of("tree/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    EXPECT_FALSE(tree.replace("io_uring/gone.c", "x"));
    // A twin that is made anew has it as in the tree, and newer than what was compiled.
    EXPECT_GT(fs::last_write_time(twin().path() / "io_uring/zcrx.c"), kLongAgo);
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
}

TEST_F(LinkedTreeTest, APatchThatDoesNotFitChangesNothing) {
    LinkedTree tree = twin();
    const auto applied = tree.apply({patch("bad.patch")});
    ASSERT_FALSE(applied);
    EXPECT_EQ(applied.error().code, EINVAL);
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    SourcePatch elsewhere = patch("good.patch");
    elsewhere.sources = {"io_uring/gone.c"};
    EXPECT_FALSE(tree.apply({elsewhere}));
}

TEST_F(LinkedTreeTest, PatchesLieOnTopOfEachOther) {
    write("next.patch",
          "--- a/io_uring/zcrx.c\n+++ b/io_uring/zcrx.c\n@@ -1,2 +1,3 @@\n one\n+new\n three\n");
    LinkedTree tree = twin();
    ASSERT_TRUE(tree.apply({patch("good.patch"), patch("next.patch")}));
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\nnew\nthree\n");
    EXPECT_FALSE(tree.apply({patch("good.patch"), patch("bad.patch")}));
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
}

TEST_F(LinkedTreeTest, RemembersWhatABrokenOffRunHadChanged) {
    {
        LinkedTree tree = twin();
        ASSERT_TRUE(tree.apply({patch("good.patch")}));
    }
    twin();
    EXPECT_EQ(text_of("twin/io_uring/zcrx.c"), "one\ntwo\nthree\n");
    EXPECT_GT(time_of("twin/io_uring/zcrx.c"), kLongAgo);
    EXPECT_EQ(time_of("twin/io_uring/other.c"), kLongAgo);
}

}  // namespace
}  // namespace zcrxlab
