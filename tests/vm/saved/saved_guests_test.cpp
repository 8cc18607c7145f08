// A saved guest is found again by who it is, only while it is whole, and not too many stay.
#include "vm/saved/saved_guests.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/temporary_folder.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

class SavedGuestsTest : public testing::Test {
  protected:
    SavedGuest save(const GuestIdentity& identity) {
        const auto place = saved_.place_for(identity);
        EXPECT_TRUE(place);
        folder_.write(place->guest.state(), "state of " + identity.text);
        EXPECT_TRUE(saved_.finish(*place));
        return place->guest;
    }

    TemporaryFolder folder_;
    const SavedGuests saved_{folder_.path() / "saved"};
};

TEST_F(SavedGuestsTest, IsFoundByItsIdentity) {
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    ASSERT_TRUE(saved_.find({"a"}));
    EXPECT_FALSE(saved_.find({"b"}));
    EXPECT_EQ(folder_.read(saved_.find({"a"})->state()), "state of a");
}

TEST_F(SavedGuestsTest, ATimeStampCounterMayDifferByAThousandth) {
    save({"a", 2'600'000});
    EXPECT_TRUE(saved_.find({"a", 2'602'000}));
    EXPECT_TRUE(saved_.find({"a", 2'598'000}));
    EXPECT_FALSE(saved_.find({"a", 2'603'000}));
    EXPECT_FALSE(saved_.find({"a", 0}));
    save({"b", 0});
    EXPECT_TRUE(saved_.find({"b", 0}));
}

TEST_F(SavedGuestsTest, IsNotFoundUnlessItIsAsItWasWritten) {
    const SavedGuest guest = save({"a"});
    folder_.write(guest.state(), "state");
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    fs::last_write_time(guest.state(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    // QEMU reads these, too.
    folder_.write(guest.kernel(), "kernel");
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    EXPECT_TRUE(saved_.find({"a"}));
    folder_.write(guest.kernel(), "kern");
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    folder_.write(guest.image(), "image");
    EXPECT_FALSE(saved_.find({"a"}));
    save({"a"});
    SavedGuests::forget(guest);
    EXPECT_FALSE(saved_.find({"a"}));
    EXPECT_FALSE(fs::exists(guest.state()));
}

TEST_F(SavedGuestsTest, OneThatWasBrokenOffIsNotFound) {
    const auto place = saved_.place_for({"a"});
    ASSERT_TRUE(place);
    folder_.write(place->guest.state(), "half of it");
    EXPECT_FALSE(saved_.find({"a"}));
}

TEST_F(SavedGuestsTest, RemembersWhoAsked) {
    EXPECT_FALSE(saved_.asked_before({"a"}));
    EXPECT_TRUE(saved_.asked_before({"a"}));
    EXPECT_FALSE(saved_.asked_before({"b"}));
}

TEST_F(SavedGuestsTest, IsSavedByOneAtATime) {
    {
        const auto place = saved_.place_for({"a"});
        ASSERT_TRUE(place);
        const auto second = saved_.place_for({"a"});
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().code, EBUSY);
        EXPECT_TRUE(saved_.place_for({"b"}));
    }
    EXPECT_TRUE(saved_.place_for({"a"}));
}

TEST_F(SavedGuestsTest, WhatCannotBeSavedIsNotTriedAgain) {
    {
        const auto place = saved_.place_for({"a"});
        ASSERT_TRUE(place);
        EXPECT_FALSE(saved_.refused({"a"}));
        saved_.refuse(*place);
    }
    EXPECT_TRUE(saved_.refused({"a"}));
    EXPECT_FALSE(saved_.refused({"b"}));
}

TEST_F(SavedGuestsTest, ThoseThatWereUsedLastStay) {
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (size_t i = 0; i < SavedGuests::kKept; ++i)
        fs::last_write_time(save({std::to_string(i)}).folder / "identity", old);
    EXPECT_TRUE(saved_.find({"0"}));
    fs::last_write_time(saved_.find({"1"})->folder / "identity", old - std::chrono::hours(1));
    save({"one more"});
    EXPECT_TRUE(saved_.find({"0"}));
    EXPECT_FALSE(saved_.find({"1"}));
    EXPECT_TRUE(saved_.find({"one more"}));
}

TEST_F(SavedGuestsTest, WhatWasOnlyAskedForPushesNobodyOut) {
    save({"saved"});
    for (size_t i = 0; i < SavedGuests::kRemembered + 1; ++i) {
        EXPECT_FALSE(saved_.asked_before({std::to_string(i)}));
        const auto when = fs::file_time_type::clock::now() + std::chrono::seconds(i + 1);
        for (const auto& entry : fs::directory_iterator(folder_.path() / "saved"))
            if (folder_.read(entry.path() / "identity") == std::to_string(i))
                fs::last_write_time(entry.path() / "identity", when);
    }
    save({"another"});
    EXPECT_TRUE(saved_.find({"saved"}));
    EXPECT_TRUE(saved_.asked_before({"1"}));
    EXPECT_FALSE(saved_.asked_before({"0"}));
}

TEST_F(SavedGuestsTest, AFolderThatCannotBeMadeIsAnError) {
    const SavedGuests nowhere("/proc/saved");
    EXPECT_FALSE(nowhere.asked_before({"a"}));
    EXPECT_FALSE(nowhere.asked_before({"a"}));
    EXPECT_FALSE(nowhere.place_for({"a"}));
    EXPECT_FALSE(nowhere.find({"a"}));
}

}  // namespace
}  // namespace zcrxlab
