// What is read of a patch, and which are refused.
#include <gtest/gtest.h>

#include "kernels/build/source_patch.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kHunk = "--- a/io_uring/zcrx.c\n+++ b/io_uring/zcrx.c\n@@ -1 +1 @@\n-a\n+b\n";

TEST(SourcePatch, TellsWhatItChangesAndWhy) {
    const auto patch = parse_source_patch(
        std::string("# SPDX-License-Identifier: GPL-2.0\nA lost reference.\nMore.\n\n") + kHunk +
            "--- a/net/core/dev.c\t2026-01-01\n+++ b/net/core/dev.c\t2026-01-01\n" + kHunk,
        "/x/lost.patch");
    ASSERT_TRUE(patch) << patch.error().sentence;
    EXPECT_EQ(patch->title, "A lost reference.");
    EXPECT_EQ(patch->sources, (std::vector<std::string>{"io_uring/zcrx.c", "net/core/dev.c"}));
    EXPECT_EQ(patch->file, "/x/lost.patch");
}

TEST(SourcePatch, MayComeFromGit) {
    const auto patch = parse_source_patch(
        std::string("From 123 Mon Sep 17\nFrom: A <a@b>\nDate: now\nSubject: [PATCH 1/2] zcrx: "
                    "forget\n\nText\n---\n 1 file\n\ndiff --git a/x b/x\n") +
            kHunk,
        "a.patch");
    ASSERT_TRUE(patch) << patch.error().sentence;
    EXPECT_EQ(patch->title, "zcrx: forget");
    const auto bare = parse_source_patch(kHunk, "bare.patch");
    ASSERT_TRUE(bare) << bare.error().sentence;
    EXPECT_EQ(bare->title, "bare.patch");
}

TEST(SourcePatch, IsRefusedIfItLeadsElsewhere) {
    for (const char* text :
         {"", "only words\n", "--- a/x\n+++ b/../etc/passwd\n", "--- a/x\n+++ /etc/passwd\n",
          "--- a/x\n+++ b//etc/passwd\n", "--- /dev/null\n+++ b/new.c\n",
          "--- a/old.c\n+++ /dev/null\n", "--- x\n+++ x\n", "--- a/x\n+++ b/\n"})
        EXPECT_FALSE(parse_source_patch(text, "a.patch")) << text;
}

}  // namespace
}  // namespace zcrxlab
