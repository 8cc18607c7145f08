// Completion rings, notification queues and interrupts: what is armed tells once, and nothing is
// lost.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

using Vectors = std::vector<uint16_t>;

// A driver that gets a completion for each frame that it sends.
class BnxtCompletions : public testing::Test {
  protected:
    BnxtCompletions() { frame_ = driver.allocate(64); }

    void send() {
        driver.put(queue.tx,
                   BufferDescriptor{BufferDescriptor::kTypeTxShort | BufferDescriptor::kPacketEnd |
                                        1 << BufferDescriptor::kCountShift,
                                    uint16_t{64}, uint32_t{7}, frame_});
        driver.ring(DoorbellType::kTransmit, queue.tx.number, queue.tx.next);
    }

    BnxtDriver driver;
    DriverQueue queue = driver.bring_up(5);
    DriverRing& completions = queue.tx_completions;
    DriverRing& notifications = queue.notifications;

  private:
    uint64_t frame_;
};

TEST_F(BnxtCompletions, WhatIsArmedTellsOnce) {
    send();
    send();
    EXPECT_EQ(driver.interrupts(), Vectors{5});
    const auto told = driver.poll(notifications);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].type_flags, Notification::kType);
    EXPECT_EQ(told[0].word1, 0x01000005u) << "the handle of the completion ring";
    EXPECT_EQ(driver.poll(completions).size(), 2u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtCompletions, WhatComesMeanwhileTellsWhenArmed) {
    send();
    driver.poll(notifications);
    driver.interrupts();
    send();
    EXPECT_TRUE(driver.poll(notifications).empty());
    // The driver has seen the first, and arms behind it.
    completions.next = 1;
    driver.ring(DoorbellType::kArmCompletions, completions.number, completions.next);
    EXPECT_EQ(driver.poll(notifications).size(), 1u);
    EXPECT_TRUE(driver.interrupts().empty()) << "the notification queue is not armed yet";
    driver.ring(DoorbellType::kArmNotifications, notifications.number, 1);
    EXPECT_EQ(driver.interrupts(), Vectors{5});
    // All is read, both are armed: nothing to tell.
    driver.poll(completions);
    driver.arm(completions, notifications);
    EXPECT_TRUE(driver.interrupts().empty());
    send();
    EXPECT_EQ(driver.interrupts(), Vectors{5});
}

TEST_F(BnxtCompletions, ADoorbellWithoutArmingMasks) {
    driver.ring(DoorbellType::kNotifications, notifications.number, 0);
    send();
    EXPECT_TRUE(driver.interrupts().empty());
    EXPECT_EQ(driver.poll(notifications).size(), 1u);
}

TEST_F(BnxtCompletions, TheValidBitTurnsWithEachRound) {
    for (int i = 0; i < 300; ++i) {
        send();
        EXPECT_EQ(driver.poll(completions).size(), 1u) << i;
        EXPECT_EQ(driver.poll(notifications).size(), 1u) << i;
        driver.arm(completions, notifications);
    }
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtCompletions, MoreThanFitAreForbidden) {
    for (uint32_t i = 0; i < completions.size - 1; ++i) send();
    EXPECT_TRUE(driver.forbidden.empty());
    send();
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCompletion);
    EXPECT_EQ(driver.poll(completions).size(), completions.size - 1);
}

TEST_F(BnxtCompletions, WhatWasNotWrittenCannotBeRead) {
    send();
    driver.ring(DoorbellType::kArmCompletions, completions.number, 2);
    driver.ring(DoorbellType::kArmNotifications, notifications.number, notifications.size);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    for (const Forbidden& one : driver.forbidden) EXPECT_EQ(one.kind, ForbiddenKind::kDoorbell);
    EXPECT_EQ(driver.forbidden[0].what,
              "its doorbell was rung with 2, and entries from 0 to 1 of 64 are unread");
    EXPECT_EQ(driver.forbidden[1].what, "its doorbell was rung with 16, and it has 16 entries");
}

TEST_F(BnxtCompletions, WhatWasReadIsNotReadAgain) {
    for (int i = 0; i < 3; ++i) {
        send();
        driver.poll(completions);
        driver.poll(notifications);
        driver.arm(completions, notifications);
    }
    ASSERT_TRUE(driver.forbidden.empty());
    const auto last_said = [&](DoorbellType type) {
        driver.ring(type, notifications.number, 2);
        return driver.forbidden.empty() ? std::string() : driver.forbidden.back().what;
    };
    EXPECT_EQ(last_said(DoorbellType::kNotifications), "its doorbell was rung with 2 behind 3");
    // It is another matter for a driver that stops, which frees its receive rings before.
    ASSERT_EQ(driver.free_ring(RingType::kRx, queue.rx.number), HwrmError::kNone);
    EXPECT_EQ(last_said(DoorbellType::kNotifications),
              "its doorbell was rung with 2 behind 3, to disarm it where no receive ring is left");
    EXPECT_EQ(last_said(DoorbellType::kArmNotifications), "its doorbell was rung with 2 behind 3");
    EXPECT_EQ(driver.forbidden.size(), 3u);
}

TEST_F(BnxtCompletions, ARingThatIsFreedIsNotWritten) {
    ASSERT_EQ(driver.free_ring(RingType::kCompletions, completions.number), HwrmError::kNone);
    send();
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCompletion);
    EXPECT_TRUE(driver.poll(completions).empty());
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
