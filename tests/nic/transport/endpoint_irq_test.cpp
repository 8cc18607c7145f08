// Tests of Endpoint: interrupts, well set up and not.
#include <gtest/gtest.h>

#include "tests/nic/transport/endpoint_fixture.hpp"

namespace zcrxlab::nic::vfio_user {
namespace {

constexpr uint32_t kNoneTrigger = kIrqDataNone | kIrqActionTrigger;
constexpr uint32_t kBoolTrigger = kIrqDataBool | kIrqActionTrigger;

TEST_F(EndpointTest, IrqInfo) {
    negotiate();
    auto info = [&](uint32_t index) {
        return at<IrqInfo>(ok(Command::kDeviceGetIrqInfo, payload(IrqInfo{16, 0, index, 0})));
    };
    EXPECT_EQ(info(kIrqMsix).count, 33u);
    EXPECT_EQ(info(kIrqMsix).flags, kIrqFlagEventfd);
    EXPECT_EQ(info(kIrqIntx).count, 0u);
    EXPECT_EQ(info(kIrqMsi).count, 0u);
    EXPECT_EQ(error(Command::kDeviceGetIrqInfo, payload(IrqInfo{16, 0, 5, 0})), EINVAL);
    EXPECT_EQ(error(Command::kDeviceGetIrqInfo, payload(IrqInfo{8, 0, 2, 0})), EINVAL);
    EXPECT_EQ(error(Command::kDeviceGetIrqInfo), EINVAL);
}

TEST_F(EndpointTest, AskingForErrorInterruptsIsNoMisbehaviour) {
    negotiate();
    for (uint32_t index : {kIrqError, kIrqRequest}) {
        Bytes reply = send(Command::kDeviceGetIrqInfo, payload(IrqInfo{16, 0, index, 0}));
        EXPECT_EQ(at<Header>(reply).flags, kTypeReply | kFlagError);
        EXPECT_EQ(at<Header>(reply).error, static_cast<uint32_t>(EINVAL));
    }
    EXPECT_EQ(endpoint->refused(), 0u);
    EXPECT_TRUE(lines.empty());
}

TEST_F(EndpointTest, InterruptsAreArmedInChunksAndDisarmed) {
    negotiate();
    Fd event = event_file();
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, 2, fd_list(copy_of(event), copy_of(event))), 0u);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 2, 31), 0u) << "no descriptors: disarm";
    EXPECT_EQ(set_irqs(kEventfdTrigger, 32, 1, fd_list(copy_of(event))), 0u);
    EXPECT_TRUE(irq.armed(0) && irq.armed(1) && !irq.armed(2));
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, 1), 0u);
    EXPECT_TRUE(!irq.armed(0) && irq.armed(1));
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 0), 0u);
    EXPECT_TRUE(!irq.armed(1) && !irq.armed(32));
}

TEST_F(EndpointTest, TheClientMayTriggerInterrupts) {
    negotiate();
    Fd event = event_file();
    ASSERT_EQ(set_irqs(kEventfdTrigger, 5, 1, fd_list(copy_of(event))), 0u);
    EXPECT_EQ(set_irqs(kNoneTrigger, 4, 2), 0u);
    EXPECT_EQ(irq.raised(), 1u);
    Bytes chosen{std::byte{1}, std::byte{0}};
    EXPECT_EQ(set_irqs(kBoolTrigger, 5, 2, {}, kIrqMsix, chosen), 0u);
    EXPECT_EQ(irq.raised(), 2u);
    EXPECT_EQ(set_irqs(kBoolTrigger, 4, 2, {}, kIrqMsix, chosen), 0u);
    EXPECT_EQ(irq.raised(), 2u);
}

TEST_F(EndpointTest, BadInterruptSettingsChangeNothing) {
    negotiate();
    Fd event = event_file();
    ASSERT_EQ(set_irqs(kEventfdTrigger, 0, 1, fd_list(copy_of(event))), 0u);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 33, 1), EINVAL);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 32, 2), EINVAL);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0xffffffff, 2), EINVAL);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, 0), EINVAL);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, 2, fd_list(copy_of(event))), EINVAL);
    EXPECT_EQ(set_irqs(kEventfdTrigger, 0, 1, fd_list(memory_file(8))), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 1, 0), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 1, fd_list(copy_of(event))), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 34), EINVAL);
    EXPECT_EQ(set_irqs(kBoolTrigger, 0, 2, {}, kIrqMsix, Bytes(1)), EINVAL);
    EXPECT_EQ(set_irqs(kIrqDataNone | kIrqActionMask, 0, 1), ENOTSUP);
    EXPECT_EQ(set_irqs(kIrqDataEventfd | kIrqActionUnmask, 0, 1), ENOTSUP);
    EXPECT_EQ(set_irqs(0, 0, 1), EINVAL);
    EXPECT_EQ(set_irqs(kIrqActionTrigger, 0, 1), EINVAL);
    EXPECT_EQ(set_irqs(kIrqDataNone | kIrqDataBool | kIrqActionTrigger, 0, 1), EINVAL);
    EXPECT_EQ(set_irqs(kIrqDataNone | kIrqActionMask | kIrqActionTrigger, 0, 1), EINVAL);
    EXPECT_EQ(set_irqs(kIrqDataNone | 64, 0, 1), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 1, {}, kIrqIntx), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 0, {}, 3), EINVAL);
    EXPECT_EQ(set_irqs(kNoneTrigger, 0, 0, {}, kIrqIntx), 0u) << "disabling what is not there";
    EXPECT_EQ(error(Command::kDeviceSetIrqs, Bytes(19)), EINVAL);
    EXPECT_TRUE(irq.armed(0));
}

}  // namespace
}  // namespace zcrxlab::nic::vfio_user
