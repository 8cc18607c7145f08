// Whose turn it is with a port: a run that goes on, one that asks, and one that ended too early.
#include "harness/lab/journals.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/base/environment.hpp"
#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kNic = "0000:3b:00.0-eth0.json";
constexpr const char* kPeer = "0000:3b:00.1-eth1.json";

class Journals : public testing::Test {
  protected:
    Journals() { ::setenv(environment::kLabState, folder_.path().c_str(), 1); }
    ~Journals() override { ::unsetenv(environment::kLabState); }

    Result<JournalFile> hold(const char* name) const {
        return JournalFile::hold(folder_.path() / name);
    }
    // Of a run on eth0 with eth1 as its peer, that was killed.
    void leave_behind() {
        Journal journal;
        journal.started = "2026-01-01 00:00:00 UTC";
        journal.ports = {{"eth0", "84:16:0c:00:00:10", "0000:3b:00.0", "mlx5_core", {}, {}},
                         {"eth1", "84:16:0c:00:00:11", "0000:3b:00.1", "mlx5_core", {}, {}}};
        auto file = hold(kNic);
        ASSERT_TRUE(file) << file.error().sentence;
        ASSERT_TRUE(file->write(journal));
        text_ = folder_.read(kNic);
    }

    TemporaryFolder folder_;
    std::string text_;
};

TEST_F(Journals, ARunThatStillAsksHasItsPorts) {
    const auto asking = hold(kNic);
    ASSERT_TRUE(asking) << asking.error().sentence;
    for (const char* name : {"eth0", "0000:3b:00.0"}) {
        EXPECT_EQ(mend_earlier({name}, false).error().code, EBUSY) << name;
        EXPECT_EQ(hold_for_run({kPeer}, {"eth1", name}).error().code, EBUSY) << name;
    }
    for (const char* name : {"eth1", "th0", "0000:3b:00.1", ""})
        EXPECT_TRUE(mend_earlier({name}, false)) << name;
}

TEST_F(Journals, WhatAnotherRunLeftMeanwhileIsNotOverwritten) {
    leave_behind();
    for (const auto& [file, name] : {std::pair{kNic, "eth0"}, std::pair{kPeer, "eth1"}}) {
        const auto held = hold_for_run({file}, {name});
        ASSERT_FALSE(held) << name;
        EXPECT_EQ(held.error().code, EBUSY);
        EXPECT_NE(held.error().sentence.find("zcrxlab lab restore"), std::string::npos);
        EXPECT_EQ(folder_.read(kNic), text_);
    }
}

TEST_F(Journals, APortThatNobodyHasIsHeld) {
    leave_behind();
    const auto held = hold_for_run({"0000:5e:00.0-eth2.json"}, {"eth2"});
    ASSERT_TRUE(held) << held.error().sentence;
    EXPECT_EQ(hold("0000:5e:00.0-eth2.json").error().code, EBUSY);
}

}  // namespace
}  // namespace zcrxlab
