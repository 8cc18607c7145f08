// What a run of lab mode has changed is put back once, also when an exception ends the run.
#include "cli/lab/restoration.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

class RestorationTest : public testing::Test {
  protected:
    RestorationTest() : file_(*JournalFile::hold(folder_.path() / "port")) {
        journal_.boot = "boot";
        journal_.started = "today";
        EXPECT_TRUE(file_.write(journal_));
    }

    TemporaryFolder folder_;
    JournalFile file_;
    // Of no port, so that there is nothing to do but to clear the file.
    Journal journal_;
};

TEST_F(RestorationTest, AnExceptionRestores) {
    EXPECT_THROW(
        {
            const Restoration restoration(file_, journal_);
            EXPECT_TRUE(file_.left_behind());
            throw std::runtime_error("made up");
        },
        std::runtime_error);
    EXPECT_FALSE(file_.left_behind());
}

TEST_F(RestorationTest, WhatWasRestoredIsNotRestoredAgain) {
    {
        Restoration restoration(file_, journal_);
        EXPECT_EQ(restoration.restore(), 0);
        EXPECT_FALSE(file_.left_behind());
        // Of whoever comes next.
        EXPECT_TRUE(file_.write(journal_));
    }
    EXPECT_TRUE(file_.left_behind());
}

}  // namespace
}  // namespace zcrxlab
