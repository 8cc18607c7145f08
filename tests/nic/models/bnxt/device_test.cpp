// The device as a whole: identity, registers, doorbells, link, resets.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

TEST(BnxtDevice, IdentityIsWhatTheDriverBindsTo) {
    BnxtDriver driver;
    const PciIdentity& identity = driver.device->identity();
    EXPECT_EQ(identity.vendor, 0x14e4);
    EXPECT_EQ(identity.device, 0x1751);
    EXPECT_EQ(identity.class_code, 0x020000u);
    EXPECT_GT(identity.msix_vectors, 0);
    for (const unsigned bar : {0, 2, 4}) {
        EXPECT_NE(identity.bar_size[bar], 0u);
        EXPECT_TRUE(identity.bar_is_64_bit[bar]);
    }
    EXPECT_GT(identity.bar_size[kDoorbellBar], kDoorbell);
}

TEST(BnxtDevice, TheFirmwareSaysThatItIsHealthy) {
    BnxtDriver driver;
    Le32 status(0);
    driver.device->bar_read(kRegisterBar, kFirmwareStatus,
                            std::as_writable_bytes(std::span(&status, 1)));
    EXPECT_EQ(status, 0x8000u);
    driver.device->bar_read(kRegisterBar, 0x3000, std::as_writable_bytes(std::span(&status, 1)));
    EXPECT_EQ(status, 0u) << "no signature";
}

TEST(BnxtDevice, WindowBasesCanBeWrittenAndNothingElse) {
    BnxtDriver driver;
    driver.write_register(kRegisterBar, 0x408, Le32(0x1000));
    EXPECT_TRUE(driver.forbidden.empty());
    driver.write_register(kRegisterBar, 0x440, Le32(0));
    driver.write_register(kRegisterBar, kRequestTrigger, Le16(1));
    driver.write_register(kRegisterBar, kRequestWindowSize - 4, Le64(1));
    driver.write_register(kDoorbellBar, 0, Le64(1));
    driver.write_register(kDoorbellBar, kDoorbell, Le16(1));
    driver.write_register(kMsixBar, 0, Le32(1));
    ASSERT_EQ(driver.forbidden.size(), 6u);
    for (const Forbidden& one : driver.forbidden) EXPECT_EQ(one.kind, ForbiddenKind::kRegister);
    EXPECT_EQ(driver.counter("bad_registers"), 6u);
}

TEST(BnxtDevice, ADoorbellMayComeInHalves) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    const uint64_t value = Doorbell{DoorbellType::kReceive, queue.rx.number, 3, true}.value();
    driver.write_register(kDoorbellBar, kDoorbell, Le32(static_cast<uint32_t>(value)));
    EXPECT_EQ(driver.counter("rx0_receive_posted"), 0u);
    driver.write_register(kDoorbellBar, kDoorbell + 4, Le32(static_cast<uint32_t>(value >> 32)));
    EXPECT_EQ(driver.counter("rx0_receive_posted"), 3u);
    EXPECT_TRUE(driver.forbidden.empty());
    driver.write_register(kDoorbellBar, kDoorbell + 4, Le32(0));
    EXPECT_EQ(driver.forbidden.size(), 1u) << "the second half alone";
}

TEST(BnxtDevice, ADoorbellOfNothingIsForbidden) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    const Doorbell wrong[] = {
        {DoorbellType::kTransmit, queue.rx.number, 0, true},
        {DoorbellType::kReceive, queue.tx.number, 0, true},
        {DoorbellType::kCompletions, queue.notifications.number, 0, true},
        {DoorbellType::kArmNotifications, queue.tx_completions.number, 0, true},
        {DoorbellType{0xf}, queue.tx.number, 0, true},
        {DoorbellType::kTransmit, queue.tx.number + 0x10000u, 0, true},
        {DoorbellType::kTransmit, queue.tx.number, 0, false},
    };
    for (const Doorbell& one : wrong) {
        driver.forbidden.clear();
        driver.write_register(kDoorbellBar, kDoorbell, Le64(one.value()));
        ASSERT_EQ(driver.forbidden.size(), 1u) << std::hex << one.value();
        EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDoorbell);
    }
    driver.forbidden.clear();
    driver.device->set_bus_master(false);
    driver.ring(DoorbellType::kTransmit, queue.tx.number, 0);
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

TEST(BnxtDevice, ADoorbellOfAFreedRingNamesIt) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    ASSERT_EQ(driver.free_ring(RingType::kNotifications, queue.notifications.number),
              HwrmError::kNone);
    driver.ring(DoorbellType::kArmNotifications, queue.notifications.number, 0);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].queue, "notification queue 0");
    EXPECT_EQ(driver.forbidden[0].what, "its doorbell was rung, and it is not there");
}

TEST(BnxtDevice, AChangeOfTheLinkIsAnEvent) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    driver.device->set_link(false);
    EXPECT_TRUE(driver.poll(queue.notifications).empty()) << "nobody said where to";
    driver.device->set_link(true);
    FunctionConfigure request{};
    request.enables = kEnableEventRing;
    request.event_ring = queue.notifications.number;
    ASSERT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kNone);
    driver.device->set_link(false);
    driver.device->set_link(false);
    const auto events = driver.poll(queue.notifications);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type_flags, Event::kType) << "of event 0";
    EXPECT_EQ(events[0].word3, 0u);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    driver.device->set_link(true);
    const auto up = driver.poll(queue.notifications);
    ASSERT_EQ(up.size(), 1u);
    EXPECT_EQ(up[0].word3, Event::kLinkUp);
}

// As bnxt_fw_fatal_close() and bnxt_fw_reset_task() go about it.
TEST(BnxtDevice, ADeadDeviceDoesNothingUntilItIsSwitchedOffAndOn) {
    BnxtDriver driver;
    EXPECT_FALSE(driver.device->die()) << "the driver has not said where events go to";
    DriverQueue queue = driver.bring_up();
    FunctionConfigure request{};
    request.enables = kEnableEventRing;
    request.event_ring = queue.notifications.number;
    ASSERT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kNone);
    ASSERT_TRUE(driver.device->die());
    const auto events = driver.poll(queue.notifications);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type_flags, Event::kType | uint32_t{Event::kResetAsked} << 16);
    EXPECT_EQ(events[0].word3, Event::kInterfaceDown | Event::kFirmwareDied);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    EXPECT_EQ(driver.wire.settings.queues, 0);

    const auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNotRunning);
    driver.ring(DoorbellType::kReceive, queue.rx.number, 1);
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    driver.device->set_bus_master(true);
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    EXPECT_TRUE(driver.poll(queue.rx_completions).empty());
    EXPECT_TRUE(driver.forbidden.empty()) << "a driver cannot know yet that its device is dead";
    EXPECT_FALSE(driver.device->die()) << "it is dead";

    driver.device->set_bus_master(false);
    driver.device->set_bus_master(true);
    InterfaceChange up{};
    up.flags = kInterfaceUp;
    ASSERT_EQ(driver.send(HwrmType::kFuncDrvIfChange, up), HwrmError::kNone);
    EXPECT_EQ(driver.answer<InterfaceChanged>().flags, kResetDone);
    queue = driver.bring_up();
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
}

// As bnxt_fw_reset() and bnxt_fw_reset_task() go about it.
TEST(BnxtDevice, ADriverIsAskedForAResetAndToldThatItIsDone) {
    BnxtDriver driver;
    ASSERT_EQ(driver.send(HwrmType::kFuncQcaps), HwrmError::kNone);
    EXPECT_NE(driver.answer<FunctionCapabilities>().flags & kAsksForResets, 0u);
    ASSERT_EQ(driver.send(HwrmType::kFuncDrvRgtr), HwrmError::kNone);
    EXPECT_EQ(driver.answer<RegisterAnswer>().flags, kTellsUpAndDown);
    InterfaceChange up{};
    up.flags = kInterfaceUp;
    const auto told = [&](const InterfaceChange& change) -> uint32_t {
        EXPECT_EQ(driver.send(HwrmType::kFuncDrvIfChange, change), HwrmError::kNone);
        return driver.answer<InterfaceChanged>().flags;
    };
    EXPECT_EQ(told(up), 0u);
    driver.device->request_reset();
    EXPECT_EQ(driver.log.size(), 1u) << "the driver has not said where events go to";

    DriverQueue queue = driver.bring_up();
    FunctionConfigure request{};
    request.enables = kEnableEventRing;
    request.event_ring = queue.notifications.number;
    ASSERT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kNone);
    driver.device->request_reset();
    const auto events = driver.poll(queue.notifications);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type_flags, Event::kType | uint32_t{Event::kResetAsked} << 16);
    EXPECT_EQ(events[0].word3, Event::kInterfaceDown | Event::kResetByManager);
    EXPECT_EQ(events[0].valid, Event::kBackAfter100ms | Entry::kValid);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    // Nothing is done before the driver is.
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
    EXPECT_EQ(told({}), 0u);
    ASSERT_EQ(driver.send(HwrmType::kFuncDrvUnrgtr), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    EXPECT_EQ(told({}), 0u) << "it is told when it comes up";
    EXPECT_EQ(told(up), kResetDone);
    EXPECT_EQ(told(up), 0u) << "once";
    // A driver that goes by itself leaves all as it is.
    queue = driver.bring_up();
    ASSERT_EQ(driver.send(HwrmType::kFuncDrvUnrgtr), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST(BnxtDevice, AFunctionResetEndsEverything) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    driver.device->reset();
    EXPECT_EQ(driver.wire.settings.queues, 0);
    driver.device->set_bus_master(true);
    driver.ring(DoorbellType::kTransmit, queue.tx.number, 1);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    driver.bring_up();
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
