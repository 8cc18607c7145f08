// The channel of commands: requests out of the window and out of memory, answers, and what is no
// request.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

TEST(BnxtHwrm, ARequestInTheWindowIsAnswered) {
    BnxtDriver driver;
    EXPECT_EQ(driver.send(HwrmType::kFuncQcaps), HwrmError::kNone);
    const auto answer = driver.answer<FunctionCapabilities>();
    EXPECT_EQ(answer.header.type, static_cast<uint16_t>(HwrmType::kFuncQcaps));
    EXPECT_EQ(answer.header.length, sizeof(answer));
    EXPECT_EQ(answer.mac[0], 0x02);
    EXPECT_EQ(driver.counter("commands"), 1u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST(BnxtHwrm, ARequestInMemoryMayBeLongerThanTheWindow) {
    struct __attribute__((packed)) Long {
        RequestHeader header;
        uint8_t rest[0x90];
    };
    static_assert(sizeof(Long) > kRequestWindowSize);
    BnxtDriver driver;
    EXPECT_EQ(driver.send_short(HwrmType::kVerGet, Long{}), HwrmError::kNone);
    EXPECT_EQ(driver.answer<VersionAnswer>().chip_number, kChipNumber);
}

TEST(BnxtHwrm, WhatIsNoRequestIsToldOf) {
    struct Case {
        const char* what;
        ShortRequest request;
        ForbiddenKind kind;
    };
    BnxtDriver driver;
    const auto type = static_cast<uint16_t>(HwrmType::kVerGet);
    const Case cases[] = {
        {"too short",
         {type, kShortSignature, kThisFunction, uint16_t{15}, driver.request_at},
         ForbiddenKind::kCommand},
        {"too long",
         {type, kShortSignature, kThisFunction, uint16_t{2049}, driver.request_at},
         ForbiddenKind::kCommand},
        {"of another type",
         {uint16_t{0x99}, kShortSignature, kThisFunction, uint16_t{16}, driver.request_at},
         ForbiddenKind::kCommand},
        {"no memory",
         {type, kShortSignature, kThisFunction, uint16_t{16}, uint64_t{0x10}},
         ForbiddenKind::kDma},
    };
    for (const Case& one : cases) {
        driver.forbidden.clear();
        driver.device->bar_write(kRegisterBar, kRequestWindow,
                                 std::as_bytes(std::span(&one.request, 1)));
        driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
        ASSERT_EQ(driver.forbidden.size(), 1u) << one.what;
        EXPECT_EQ(driver.forbidden[0].kind, one.kind) << one.what;
    }
    EXPECT_EQ(driver.counter("commands_unread"), std::size(cases));
    EXPECT_EQ(driver.counter("commands"), 0u);
}

TEST(BnxtHwrm, AnAnswerThatCannotBeWrittenIsToldOf) {
    BnxtDriver driver;
    for (const uint64_t address : {uint64_t{0x10}, driver.answer_at + 1}) {
        driver.forbidden.clear();
        const RequestHeader request{static_cast<uint16_t>(HwrmType::kVerGet), kNoRing, uint16_t{1},
                                    kThisFunction, address};
        driver.device->bar_write(kRegisterBar, kRequestWindow,
                                 std::as_bytes(std::span(&request, 1)));
        driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
        ASSERT_EQ(driver.forbidden.size(), 1u) << address;
        EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
        EXPECT_EQ(driver.forbidden[0].address, address);
    }
}

TEST(BnxtHwrm, WhatIsNotImplementedIsRefusedAndCountedByName) {
    BnxtDriver driver;
    const auto time = static_cast<HwrmType>(0xfff1);  // NVM_GET_VARIABLE
    EXPECT_EQ(driver.send(time), HwrmError::kNotSupported);
    EXPECT_EQ(driver.send(time), HwrmError::kNotSupported);
    EXPECT_EQ(driver.send(static_cast<HwrmType>(0x1234)), HwrmError::kNotSupported);
    EXPECT_EQ(driver.counter("hwrm_nvm_get_variable"), 2u);
    EXPECT_EQ(driver.counter("hwrm_nvm_get_variable_refused"), 2u);
    EXPECT_EQ(driver.counter("hwrm_without_name"), 1u);
    EXPECT_EQ(driver.log, (std::vector<std::string>{
                              "HWRM NVM_GET_VARIABLE refused (0xffff): type 0xfff1 is not "
                              "implemented",
                              "HWRM a command without a name here refused (0xffff): type 0x1234 is "
                              "not implemented"}));
    EXPECT_TRUE(driver.forbidden.empty()) << "a driver may ask";
}

TEST(BnxtHwrm, ARequestOfAnOlderDriverIsShorter) {
    std::vector<std::byte> bytes(sizeof(RequestHeader) + 2, std::byte{0xff});
    const Request request(bytes);
    const auto seen = request.as<FunctionConfigure>();
    EXPECT_EQ(seen.function, 0xffff);
    EXPECT_EQ(seen.vectors, 0) << "what is not there is 0";
}

TEST(BnxtHwrm, ACompletionRingIsToldOfTheAnswer) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    driver.completion_ring = queue.tx_completions.number;
    EXPECT_EQ(driver.send(HwrmType::kFuncQcfg), HwrmError::kNone);
    const auto entries = driver.poll(queue.tx_completions);
    ASSERT_EQ(entries.size(), 1u);
    CommandDone done;
    std::memcpy(&done, entries.data(), sizeof(done));
    EXPECT_EQ(done.type, CommandDone::kType);
    EXPECT_EQ(done.sequence, driver.answer<AnswerHeader>().sequence);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    driver.completion_ring = 0x77;
    driver.send(HwrmType::kFuncQcfg);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCommand);
}

TEST(BnxtHwrm, NothingIsReadWhileBusMasteringIsOff) {
    BnxtDriver driver;
    driver.device->set_bus_master(false);
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDoorbell);
}

TEST(BnxtHwrm, AnotherFunctionIsDenied) {
    BnxtDriver driver;
    const RequestHeader request{static_cast<uint16_t>(HwrmType::kVerGet), kNoRing, uint16_t{1},
                                uint16_t{7}, driver.answer_at};
    driver.device->bar_write(kRegisterBar, kRequestWindow, std::as_bytes(std::span(&request, 1)));
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    EXPECT_EQ(driver.answer<AnswerHeader>().error, static_cast<uint16_t>(HwrmError::kAccessDenied));
}

TEST(BnxtHwrm, ACommandThatIsToFailIsNotCarriedOut) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    CommandFaults& faults = *driver.device->command_faults();
    faults.set({.command = CommandKind::kCloseReceiveQueue, .count = 1});
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.tx.number), HwrmError::kNone);
    EXPECT_EQ(driver.free_ring(RingType::kAggregation, queue.aggregation.number), HwrmError::kFail);
    EXPECT_EQ(driver.counter("command_faults"), 1u);
    EXPECT_EQ(driver.free_ring(RingType::kAggregation, queue.aggregation.number), HwrmError::kNone);
    DriverRing ring;
    RingAllocate asked{};
    asked.number = uint16_t{5};
    asked.buffer_size = kRxBuffer;
    faults.set({.command = CommandKind::kOpenReceiveQueue});
    EXPECT_EQ(driver.allocate_ring(RingType::kNotifications, ring, 16, asked), HwrmError::kNone);
    EXPECT_EQ(driver.allocate_ring(RingType::kRx, ring, 16, asked), HwrmError::kFail);
    EXPECT_TRUE(driver.forbidden.empty()) << "the driver has done nothing wrong";
}

TEST(BnxtHwrm, ACommandMayGetNoAnswer) {
    BnxtDriver driver;
    driver.device->command_faults()->set({.answer = CommandAnswer::kNone, .count = 1});
    const RequestHeader request{static_cast<uint16_t>(HwrmType::kVerGet), kNoRing, uint16_t{1},
                                kThisFunction, driver.answer_at};
    driver.device->bar_write(kRegisterBar, kRequestWindow, std::as_bytes(std::span(&request, 1)));
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    EXPECT_EQ(driver.answer<AnswerHeader>().length, 0u);
    driver.write_register(kRegisterBar, kRequestTrigger, Le32(1));
    EXPECT_NE(driver.answer<AnswerHeader>().length, 0u);
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
