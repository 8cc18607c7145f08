// Commands one by one: what they answer, and what they refuse.
#include <gtest/gtest.h>

#include "nic/models/bnxt/layout/bnxt_statistics_layout.hpp"
#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

TEST(BnxtCommands, TheVersionIsThatOfAChipWithNotificationQueues) {
    BnxtDriver driver;
    ASSERT_EQ(driver.send(HwrmType::kVerGet), HwrmError::kNone);
    const auto version = driver.answer<VersionAnswer>();
    EXPECT_EQ(version.chip_number, 0x1751);
    EXPECT_EQ(version.window_size, 128);
    EXPECT_GE(version.longest_request, 0xa0) << "FUNC_CFG has as much";
    EXPECT_NE(version.capabilities & kCapabilityAdvancedFlows, 0u);
}

TEST(BnxtCommands, ThereIsNoFlash) {
    BnxtDriver driver;
    ASSERT_EQ(driver.send(HwrmType::kNvmGetDevInfo), HwrmError::kNone);
    EXPECT_EQ(driver.answer<AnswerHeader>().length, 0x60);
    EXPECT_EQ(driver.counter("commands_refused"), 0u);
}

TEST(BnxtCommands, WhatIsReservedIsSaidAgain) {
    BnxtDriver driver;
    // As long as the driver's own: longer than the window.
    struct __attribute__((packed)) Whole {
        RequestHeader header;
        uint8_t rest[0x90];
    } whole{};
    FunctionConfigure request{};
    request.enables = kEnableTxRings | kEnableRxRings | kEnableCompletionRings | kEnableVectors |
                      kEnableStatContexts | kEnableVnics | kEnableRssContexts;
    request.tx_rings = uint16_t{2};
    request.rx_rings = uint16_t{4};
    request.completion_rings = uint16_t{6};
    request.vectors = uint16_t{3};
    request.stat_contexts = uint16_t{5};
    request.vnics = uint16_t{7};
    request.rss_contexts = uint16_t{8};
    std::memcpy(&whole, &request, sizeof(request));
    ASSERT_EQ(driver.send_short(HwrmType::kFuncCfg, whole), HwrmError::kNone);
    ASSERT_EQ(driver.send(HwrmType::kFuncQcfg), HwrmError::kNone);
    const auto settings = driver.answer<FunctionSettings>();
    EXPECT_EQ(settings.tx_rings, 2);
    EXPECT_EQ(settings.rx_rings, 4);
    EXPECT_EQ(settings.completion_rings, 6);
    EXPECT_EQ(settings.vectors, 3);
    EXPECT_EQ(settings.stat_contexts, 5);
    EXPECT_EQ(settings.vnics, 7);
    EXPECT_EQ(settings.rss_contexts, 8);
    // What is not enabled stays; what is only tested, too.
    request.enables = kEnableTxRings;
    request.tx_rings = uint16_t{9};
    request.flags = uint32_t{0x2000};
    EXPECT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kNone);
    request.tx_rings = uint16_t{kQueueLimit + 1};
    EXPECT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kNoResource);
    driver.send(HwrmType::kFuncQcfg);
    EXPECT_EQ(driver.answer<FunctionSettings>().tx_rings, 2);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST(BnxtCommands, EventsGoToNotificationQueuesOnly) {
    BnxtDriver driver;
    FunctionConfigure request{};
    request.enables = kEnableEventRing;
    request.event_ring = uint16_t{3};
    EXPECT_EQ(driver.send(HwrmType::kFuncCfg, request), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

TEST(BnxtCommands, ThePortSaysWhetherThereIsALink) {
    BnxtDriver driver;
    driver.send(HwrmType::kPortPhyQcfg);
    EXPECT_EQ(driver.answer<PhySettings>().link, kLink);
    EXPECT_EQ(driver.answer<PhySettings>().speed, kSpeed25G);
    driver.device->set_link(false);
    driver.send(HwrmType::kPortPhyQcfg);
    EXPECT_EQ(driver.answer<PhySettings>().link, kNoLink);
    EXPECT_EQ(driver.answer<PhySettings>().speed, 0);
}

TEST(BnxtCommands, RingsThatCannotBeAreRefused) {
    struct Case {
        const char* what;
        RingType type;
        HwrmError error;
        bool is_forbidden;
        void (*spoil)(RingAllocate&);
    };
    const auto invalid = HwrmError::kInvalidParameters;
    const Case cases[] = {
        {"no entries", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.length = uint32_t{0}; }},
        {"no power of two", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.length = uint32_t{24}; }},
        {"too long", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.length = uint32_t{1} << 17; }},
        {"tables of tables", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.table_depth = 2, ring.page_shift = 12; }},
        {"small pages", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.table_depth = 1, ring.page_shift = 11; }},
        {"a table that is no memory", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) {
             ring.table_depth = 1, ring.page_shift = 12, ring.memory = uint64_t{0x10};
         }},
        {"no such vector", RingType::kNotifications, invalid, true,
         [](RingAllocate& ring) { ring.number = kNotificationLimit; }},
        {"no notification queue", RingType::kCompletions, invalid, true,
         [](RingAllocate& ring) { ring.notification_ring = uint16_t{9}; }},
        {"no completion ring", RingType::kTx, invalid, true,
         [](RingAllocate& ring) { ring.completion_ring = uint16_t{9}; }},
        {"buffers of 0 bytes", RingType::kRx, invalid, true, [](RingAllocate&) {}},
        {"a place that there is not", RingType::kRx, HwrmError::kNoResource, false,
         [](RingAllocate& ring) { ring.buffer_size = kRxBuffer, ring.number = kQueueLimit; }},
        {"of no receive ring", RingType::kAggregation, HwrmError::kNoResource, false,
         [](RingAllocate& ring) { ring.buffer_size = kRxBuffer, ring.rx_ring = uint16_t{9}; }},
        {"padded", RingType::kRx, HwrmError::kUnsupportedOption, false,
         [](RingAllocate& ring) { ring.buffer_size = kRxBuffer, ring.flags = kPadStart; }},
        {"of no type", static_cast<RingType>(3), invalid, false, [](RingAllocate&) {}},
    };
    for (const Case& one : cases) {
        BnxtDriver driver;
        RingAllocate request{};
        request.type = static_cast<uint8_t>(one.type);
        request.memory = driver.allocate(4096);
        request.length = uint32_t{16};
        one.spoil(request);
        EXPECT_EQ(driver.send(HwrmType::kRingAlloc, request), one.error) << one.what;
        EXPECT_EQ(driver.forbidden.size(), one.is_forbidden ? 1u : 0u) << one.what;
    }
}

TEST(BnxtCommands, WhatIsNotThereCannotBeFreed) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.rx.number), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.tx.number), HwrmError::kNone);
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.tx.number), HwrmError::kInvalidParameters);
    for (const RingType type :
         {RingType::kNotifications, RingType::kCompletions, RingType::kRx, RingType::kAggregation})
        EXPECT_EQ(driver.free_ring(type, 0xfff), HwrmError::kInvalidParameters);
    for (const HwrmType type :
         {HwrmType::kVnicFree, HwrmType::kStatCtxFree, HwrmType::kCfaL2FilterFree}) {
        VnicFree request{};
        request.vnic = uint32_t{99};
        EXPECT_EQ(driver.send(type, request), HwrmError::kInvalidParameters);
    }
    EXPECT_EQ(driver.forbidden.size(), 9u);
}

TEST(BnxtCommands, NumbersAreGivenOutAndTakenBack) {
    BnxtDriver driver;
    for (int i = 0; i < kStatContextLimit; ++i)
        EXPECT_EQ(driver.send(HwrmType::kStatCtxAlloc), HwrmError::kNone);
    EXPECT_EQ(driver.send(HwrmType::kStatCtxAlloc), HwrmError::kNoResource);
    StatFree request{};
    request.context = uint32_t{3};
    EXPECT_EQ(driver.send(HwrmType::kStatCtxFree, request), HwrmError::kNone);
    EXPECT_EQ(driver.send(HwrmType::kStatCtxAlloc), HwrmError::kNone);
    EXPECT_EQ(driver.answer<StatAnswer>().context, 3u);
}

TEST(BnxtCommands, AnRssTableNamesReceiveRings) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
    EXPECT_EQ(driver.wire.settings.rss_table, std::vector<uint16_t>(64, 0));
    EXPECT_EQ(driver.wire.settings.rss_key.size(), kRssKeySize);
    EXPECT_EQ(driver.wire.settings.rss_types, kAllRssTypes);
    EXPECT_TRUE(driver.wire.settings.header_split);
    EXPECT_EQ(driver.wire.settings.mtu, 9000);
    std::swap(queue.rx.number, queue.rx_completions.number);
    EXPECT_EQ(driver.configure_rss(queue), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

TEST(BnxtCommands, WhatIsHashedIsTheDriversChoice) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    const struct {
        uint32_t asked;
        RssType type;
    } types[] = {{kHashIpv4, RssType::kIpv4}, {kHashTcp4, RssType::kTcp4},
                 {kHashUdp4, RssType::kUdp4}, {kHashIpv6, RssType::kIpv6},
                 {kHashTcp6, RssType::kTcp6}, {kHashUdp6, RssType::kUdp6}};
    for (const auto& [asked, type] : types) {
        EXPECT_EQ(driver.configure_rss(queue, asked), HwrmError::kNone);
        EXPECT_EQ(driver.wire.settings.rss_types, rss_bit(type));
    }
    EXPECT_EQ(driver.configure_rss(queue, 0), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.rss_types, 0);
    constexpr uint32_t kFlowLabel = 0x40;
    EXPECT_EQ(driver.configure_rss(queue, kFlowLabel | kHashTcp6), HwrmError::kUnsupportedOption);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST(BnxtCommands, FramesWithoutAHashGoToTheDefaultRing) {
    BnxtDriver driver;
    const DriverQueue first = driver.bring_up(0), second = driver.bring_up(1);
    EXPECT_EQ(driver.wire.settings.queue_without_hash, 0);
    VnicConfigure settings{};
    settings.vnic = static_cast<uint16_t>(first.vnic);
    settings.enables = kEnableDefaultRxRing | kEnableDefaultCompletionRing;
    settings.default_rx_ring = second.rx.number;
    settings.default_completion_ring = second.rx_completions.number;
    settings.mru = uint16_t{9018};
    EXPECT_EQ(driver.send(HwrmType::kVnicCfg, settings), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queue_without_hash, 1);
    EXPECT_EQ(driver.wire.settings.rss_table, std::vector<uint16_t>(64, 0));
}

TEST(BnxtCommands, AVnicWithoutMruReceivesNothing) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    VnicUpdate update{};
    update.vnic = queue.vnic;
    update.enables = kUpdateMru;
    EXPECT_EQ(driver.send(HwrmType::kVnicUpdate, update), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    update.mru = uint16_t{1518};
    EXPECT_EQ(driver.send(HwrmType::kVnicUpdate, update), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
    EXPECT_EQ(driver.wire.settings.mtu, 1500);
    update.enables = kUpdateState;
    EXPECT_EQ(driver.send(HwrmType::kVnicUpdate, update), HwrmError::kUnsupportedOption);
}

TEST(BnxtCommands, AResetFreesAll) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    EXPECT_EQ(driver.send(HwrmType::kFuncReset), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.tx.number), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(pattern(100))), Accepted::kNotRunning);
    driver.bring_up();
}

TEST(BnxtCommands, SegmentsAreJoinedWithinTheLimitsIfEachVnicWantsIt) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    const ReceiveSettings& settings = driver.wire.settings;
    EXPECT_FALSE(settings.rsc);
    ASSERT_EQ(driver.join_segments(queue), HwrmError::kNone);
    EXPECT_TRUE(settings.rsc);
    EXPECT_EQ(settings.rsc_limits.segments, 64u) << "63 behind the first one";
    EXPECT_EQ(settings.rsc_limits.shortest, 512u);
    EXPECT_EQ(driver.send(HwrmType::kVnicAlloc, VnicAllocate{}), HwrmError::kNone);
    DriverQueue other = queue;
    other.vnic = driver.answer<VnicAllocated>().vnic;
    ASSERT_EQ(driver.configure_rss(other), HwrmError::kNone);
    EXPECT_FALSE(settings.rsc) << "the second one does not want it";
    ASSERT_EQ(driver.join_segments(other), HwrmError::kNone);
    EXPECT_TRUE(settings.rsc);
    TpaConfigure request{};
    request.vnic = static_cast<uint16_t>(queue.vnic);
    EXPECT_EQ(driver.send(HwrmType::kVnicTpaCfg, request), HwrmError::kNone);
    EXPECT_FALSE(settings.rsc);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST(BnxtCommands, NoMoreAggregatesThanThereAreCanBeHad) {
    BnxtDriver driver;
    const DriverQueue queue = driver.bring_up();
    ASSERT_EQ(driver.send(HwrmType::kVnicQcaps), HwrmError::kNone);
    const uint16_t most = driver.answer<VnicCapabilities>().most_aggregates;
    EXPECT_EQ(most, kAggregateLimit);
    EXPECT_GE(most, 256) << "Linux before 7.1 asks for so many, whatever it is told.";
    TpaConfigure request{};
    request.vnic = static_cast<uint16_t>(queue.vnic);
    request.flags = kJoinSegments;
    request.enables = kEnableMostAggregates;
    for (const uint16_t wrong : {uint16_t{0}, static_cast<uint16_t>(most + 1)}) {
        request.most_aggregates = wrong;
        EXPECT_EQ(driver.send(HwrmType::kVnicTpaCfg, request), HwrmError::kInvalidParameters);
    }
    request.most_aggregates = most;
    EXPECT_EQ(driver.send(HwrmType::kVnicTpaCfg, request), HwrmError::kNone);
    request.vnic = uint16_t{7};
    EXPECT_EQ(driver.send(HwrmType::kVnicTpaCfg, request), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 3u);
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
