// Admin commands about the device and its queues, with good and with bad input.
#include <gtest/gtest.h>

#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

class GveAdmin : public testing::Test {
  protected:
    void SetUp() override { driver.run(); }
    GveDriver driver{{.mac = {2, 0, 0, 1, 2, 3}, .link_speed = 10000, .max_flow_rules = 64}};
};

TEST_F(GveAdmin, UnknownAndUnsupportedCommandsAreUnimplemented) {
    for (uint32_t opcode : {0x0u, 0x3u, 0x4u, 0x11u, 0x13u, 0x101u, 0xffffffffu})
        EXPECT_EQ(driver.command(static_cast<Opcode>(opcode)), Status::kUnimplemented) << opcode;
    EXPECT_EQ(driver.counter("admin_refused"), 7u);
    EXPECT_EQ(driver.log.size(), 7u);
    EXPECT_TRUE(driver.forbidden.empty());
}

// What a user typed, or what a driver finds out by asking, is an answer; the rest is its mistake.
TEST_F(GveAdmin, OnlyWhatADriverKnowsToBeWrongIsForbidden) {
    ASSERT_EQ(driver.command(Opcode::kConfigureDeviceResources, driver.resources_command()),
              Status::kPassed);
    EXPECT_EQ(driver.add_rule(64, FlowRuleLayout{}), Status::kOutOfRange);
    EXPECT_TRUE(driver.forbidden.empty());
    EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{3}), Status::kNotFound);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCommand);
    EXPECT_EQ(driver.forbidden[0].queue, "admin queue");
    EXPECT_EQ(driver.forbidden[0].descriptor, 2u);
    EXPECT_EQ(driver.forbidden[0].what, "DESTROY_RX_QUEUE: there is no queue 3");
    EXPECT_EQ(driver.command(Opcode::kReportLinkSpeed, ReportLinkSpeed{kNoMemory}),
              Status::kInvalidArgument);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    EXPECT_EQ(driver.forbidden[1].kind, ForbiddenKind::kDma);
    EXPECT_EQ(driver.forbidden[1].address, kNoMemory);
    EXPECT_EQ(driver.forbidden[1].what,
              "the answer of REPORT_LINK_SPEED, 8 bytes to be written, is not mapped");
}

// ---- DESCRIBE_DEVICE ----

TEST_F(GveAdmin, DescribeDeviceTellsWhatTheDriverNeeds) {
    uint64_t page = driver.allocate(4096);
    ASSERT_EQ(driver.command(Opcode::kDescribeDevice, DescribeDevice{page, 1, 4096}),
              Status::kPassed);
    auto descriptor = driver.load<DeviceDescriptor>(page);
    EXPECT_EQ(descriptor.tx_queue_entries, 1024);
    EXPECT_EQ(descriptor.rx_queue_entries, 1024);
    EXPECT_EQ(descriptor.default_num_queues, 4);
    EXPECT_EQ(descriptor.mtu, 9000);
    EXPECT_EQ(descriptor.counters, 32);
    EXPECT_EQ(std::memcmp(descriptor.mac, "\x02\x00\x00\x01\x02\x03", 6), 0);
    // Walk the options as the driver does.
    std::map<uint16_t, uint64_t> options;
    uint64_t at = page + sizeof(DeviceDescriptor);
    for (uint16_t i = 0; i < descriptor.num_device_options; ++i) {
        auto header = driver.load<OptionHeader>(at);
        EXPECT_EQ(header.required_features, 0u);
        options[header.id] = at + sizeof(OptionHeader);
        at += sizeof(OptionHeader) + header.length;
        ASSERT_LE(at, page + descriptor.total_length);
    }
    EXPECT_EQ(at, page + descriptor.total_length);
    ASSERT_EQ(options.size(), 6u);
    EXPECT_EQ(driver.load<DqoRdaOption>(options.at(4)).supported_features, 0xb5u);
    auto rings = driver.load<ModifyRingOption>(options.at(6));
    EXPECT_EQ(rings.max_rx_ring, 4096);
    EXPECT_EQ(rings.min_tx_ring, 64);
    EXPECT_EQ(driver.load<JumboFramesOption>(options.at(8)).max_mtu, 9000);
    auto sizes = driver.load<BufferSizesOption>(options.at(0xa));
    EXPECT_EQ(sizes.packet_buffer_size, 4096);
    EXPECT_EQ(sizes.header_buffer_size, 128);
    EXPECT_EQ(driver.load<FlowSteeringOption>(options.at(0xb)).max_flow_rules, 64u);
    auto rss = driver.load<RssConfigOption>(options.at(0xe));
    EXPECT_EQ(rss.key_size, 40);
    EXPECT_EQ(rss.lut_size, 128);
}

TEST_F(GveAdmin, DescribeDeviceRefused) {
    uint64_t page = driver.allocate(4096);
    auto describe = [&](uint64_t address, uint32_t version, uint32_t length) {
        return driver.command(Opcode::kDescribeDevice, DescribeDevice{address, version, length});
    };
    EXPECT_EQ(describe(page, 0, 4096), Status::kInvalidArgument);
    EXPECT_EQ(describe(page, 2, 4096), Status::kInvalidArgument);
    EXPECT_EQ(describe(page, 1, 40), Status::kInvalidArgument);
    EXPECT_EQ(describe(kNoMemory, 1, 4096), Status::kInvalidArgument);
    EXPECT_EQ(describe(page + 4000, 1, 4096), Status::kInvalidArgument);
    EXPECT_EQ(describe(driver.allocate(4096, false), 1, 4096), Status::kInvalidArgument);
    EXPECT_FALSE(driver.dma.touched(page, 4096));
}

// ---- VERIFY_DRIVER_COMPATIBILITY ----

TEST_F(GveAdmin, VerifyDriver) {
    DriverInfo info{};
    info.os_type = 1;
    info.capabilities[0] = kCapabilityDqoRda;
    uint64_t address = driver.allocate(sizeof(info));
    driver.store(address, info);
    auto verify = [&](uint64_t length, uint64_t at) {
        return driver.command(Opcode::kVerifyDriverCompatibility,
                              VerifyDriverCompatibility{length, at});
    };
    EXPECT_EQ(verify(sizeof(info), address), Status::kPassed);
    EXPECT_EQ(verify(sizeof(info) - 1, address), Status::kInvalidArgument);
    EXPECT_EQ(verify(sizeof(info), kNoMemory), Status::kInvalidArgument);
    info.capabilities[0] = 0x3;
    driver.store(address, info);
    EXPECT_EQ(verify(sizeof(info), address), Status::kFailedPrecondition);
}

// ---- SET_DRIVER_PARAMETER, REPORT_LINK_SPEED, GET_PTYPE_MAP ----

TEST_F(GveAdmin, SetDriverParameterLimitsWhatIsReceived) {
    auto set = [&](uint32_t type, uint64_t value) {
        return driver.command(Opcode::kSetDriverParameter, SetDriverParameter{type, {}, value});
    };
    EXPECT_EQ(set(1, 1500), Status::kPassed);
    EXPECT_EQ(driver.wire.settings.mtu, 1500);
    EXPECT_EQ(set(1, 67), Status::kInvalidArgument);
    EXPECT_EQ(set(1, 9001), Status::kInvalidArgument);
    EXPECT_EQ(set(1, 1ull << 40), Status::kInvalidArgument);
    EXPECT_EQ(set(2, 1500), Status::kInvalidArgument);
    EXPECT_EQ(driver.wire.settings.mtu, 1500);
}

TEST_F(GveAdmin, ReportLinkSpeed) {
    uint64_t address = driver.allocate(8);
    EXPECT_EQ(driver.command(Opcode::kReportLinkSpeed, ReportLinkSpeed{address}), Status::kPassed);
    EXPECT_EQ(driver.load<Be64>(address), 10000u);
    EXPECT_EQ(driver.command(Opcode::kReportLinkSpeed, ReportLinkSpeed{kNoMemory}),
              Status::kInvalidArgument);
}

TEST_F(GveAdmin, PtypeMapNamesTheTypesInUse) {
    uint64_t address = driver.allocate(2048);
    EXPECT_EQ(driver.command(Opcode::kGetPtypeMap, GetPtypeMap{2048, address}), Status::kPassed);
    auto entry = [&](uint16_t type) { return driver.load<PtypeEntry>(address + type * 2); };
    EXPECT_EQ(entry(packet_type(kL3Ipv4, kL4Tcp)).l3, 2);
    EXPECT_EQ(entry(packet_type(kL3Ipv4, kL4Tcp)).l4, 2);
    EXPECT_EQ(entry(packet_type(kL3Ipv6, kL4Udp)).l3, 3);
    EXPECT_EQ(entry(packet_type(kL3Ipv6, kL4Udp)).l4, 3);
    EXPECT_EQ(entry(0).l3, 0);
    EXPECT_EQ(entry(1023).l4, 0);
    EXPECT_EQ(driver.command(Opcode::kGetPtypeMap, GetPtypeMap{2047, address}),
              Status::kInvalidArgument);
    EXPECT_EQ(driver.command(Opcode::kGetPtypeMap, GetPtypeMap{2048, kNoMemory}),
              Status::kInvalidArgument);
}

// ---- CONFIGURE / DECONFIGURE_DEVICE_RESOURCES ----

TEST_F(GveAdmin, ConfigureResourcesTellsTheDoorbells) {
    ConfigureDeviceResources command = driver.resources_command();
    ASSERT_EQ(driver.command(Opcode::kConfigureDeviceResources, command), Status::kPassed);
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(driver.load<Be32>(driver.irq_indices + i * 64), i);
    EXPECT_EQ(driver.command(Opcode::kConfigureDeviceResources, command), Status::kAlreadyExists);
}

TEST_F(GveAdmin, ConfigureResourcesRefused) {
    const ConfigureDeviceResources good = driver.resources_command();
    auto with = [&](auto change) {
        ConfigureDeviceResources command = good;
        change(command);
        return driver.command(Opcode::kConfigureDeviceResources, command);
    };
    EXPECT_EQ(with([](auto& c) { c.queue_format = 1; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.num_counters = 31; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.num_irq_doorbells = 1; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.num_irq_doorbells = 33; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.irq_doorbell_stride = 3; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.irq_doorbell_stride = 0xffffffff; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.msix_base_index = 2; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.counter_array = kNoMemory; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.counter_array = ~uint64_t{7}; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.irq_doorbell_address = kNoMemory; }), Status::kInvalidArgument);
    // None of these left the device configured.
    EXPECT_EQ(driver.command(Opcode::kDeconfigureDeviceResources), Status::kFailedPrecondition);
    EXPECT_EQ(with([](auto&) {}), Status::kPassed);
}

TEST_F(GveAdmin, DeconfigureNeedsAllQueuesGone) {
    driver.configure();
    driver.create_tx(0, 64);
    EXPECT_EQ(driver.command(Opcode::kDeconfigureDeviceResources), Status::kFailedPrecondition);
    EXPECT_EQ(driver.command(Opcode::kDestroyTxQueue, DestroyQueue{0}), Status::kPassed);
    EXPECT_EQ(driver.command(Opcode::kDeconfigureDeviceResources), Status::kPassed);
    EXPECT_EQ(driver.command(Opcode::kDeconfigureDeviceResources), Status::kFailedPrecondition);
    EXPECT_EQ(driver.command(Opcode::kConfigureDeviceResources, driver.resources_command()),
              Status::kPassed);
}

// ---- Queues ----

TEST_F(GveAdmin, QueuesNeedResourcesFirst) {
    EXPECT_EQ(driver.command(Opcode::kCreateTxQueue, driver.create_tx_command(0, 64)),
              Status::kFailedPrecondition);
    EXPECT_EQ(driver.command(Opcode::kCreateRxQueue, driver.create_rx_command(0, {})),
              Status::kFailedPrecondition);
}

TEST_F(GveAdmin, SixteenQueuesOfEverySize) {
    for (uint16_t ring : {64, 128, 1024, 4096}) {
        driver.bring_up({.queues = 16, .ring = ring, .buffer_size = 2048, .post = false});
        EXPECT_EQ(driver.wire.settings.queues, 16) << ring;
        std::map<uint32_t, int> doorbells;
        for (uint16_t i = 0; i < 16; ++i) {
            ++doorbells[driver.tx(i).doorbell];
            ++doorbells[driver.rx(i).doorbell];
        }
        EXPECT_EQ(doorbells.size(), 32u);
        EXPECT_LT(doorbells.rbegin()->first, 1024u);
    }
}

TEST_F(GveAdmin, CreateTxRefused) {
    driver.configure();
    const CreateTxQueue good = driver.create_tx_command(0, 64);
    auto with = [&](auto change) {
        CreateTxQueue command = good;
        change(command);
        return driver.command(Opcode::kCreateTxQueue, command);
    };
    EXPECT_EQ(with([](auto& c) { c.queue_id = 16; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.queue_id = 0xffffffff; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.notify_id = 32; }), Status::kInvalidArgument);
    for (uint16_t size : {0, 1, 32, 63, 65, 96, 8192})
        EXPECT_EQ(with([&](auto& c) { c.ring_size = c.completion_ring_size = size; }),
                  Status::kInvalidArgument)
            << size;
    EXPECT_EQ(with([](auto& c) { c.completion_ring_size = 32; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.ring_address = kNoMemory; }), Status::kInvalidArgument);
    uint64_t roomy = driver.allocate(4096);
    EXPECT_EQ(with([&](auto& c) { c.ring_address = roomy + 8; }), Status::kInvalidArgument);
    EXPECT_EQ(with([&](auto& c) { c.completion_ring_address = roomy + 4; }),
              Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.ring_address = ~uint64_t{15}; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.ring_size = c.completion_ring_size = 128; }),
              Status::kInvalidArgument);  // beyond the memory
    EXPECT_EQ(with([](auto& c) { c.completion_ring_address = kNoMemory; }),
              Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.resources_address = kNoMemory; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto&) {}), Status::kPassed);
    EXPECT_EQ(with([](auto&) {}), Status::kAlreadyExists);
}

TEST_F(GveAdmin, RingsAcrossTheEndOfTheAddressSpaceAreRefused) {
    driver.configure();
    driver.dma.add(0, 4096);
    driver.dma.add(0xfffffffffffff000, 4095);
    CreateTxQueue command = driver.create_tx_command(0, 64);
    command.ring_address = 0xfffffffffffffe00;
    EXPECT_EQ(driver.command(Opcode::kCreateTxQueue, command), Status::kInvalidArgument);
}

TEST_F(GveAdmin, CompletionRingShorterThanTheRingIsRefused) {
    driver.configure();
    CreateTxQueue tx = driver.create_tx_command(0, 128);
    tx.completion_ring_size = 64;
    EXPECT_EQ(driver.command(Opcode::kCreateTxQueue, tx), Status::kInvalidArgument);
    CreateRxQueue rx = driver.create_rx_command(0, {.ring = 128});
    rx.completion_ring_size = 64;
    EXPECT_EQ(driver.command(Opcode::kCreateRxQueue, rx), Status::kInvalidArgument);
}

TEST_F(GveAdmin, CreateRxRefused) {
    driver.configure();
    const CreateRxQueue good = driver.create_rx_command(0, {});
    auto with = [&](auto change) {
        CreateRxQueue command = good;
        change(command);
        return driver.command(Opcode::kCreateRxQueue, command);
    };
    EXPECT_EQ(with([](auto& c) { c.queue_id = 16; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.notify_id = 32; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.buffer_ring_size = 100; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.completion_ring_size = 0; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.packet_buffer_size = 0; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.packet_buffer_size = 4095; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.packet_buffer_size = 8192; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.header_buffer_size = 64; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.enable_rsc = 2; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.buffer_ring_address = kNoMemory; }), Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.completion_ring_address = c.completion_ring_address + 2; }),
              Status::kInvalidArgument);
    EXPECT_EQ(with([](auto& c) { c.resources_address = kNoMemory; }), Status::kInvalidArgument);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    EXPECT_EQ(with([](auto&) {}), Status::kPassed);
    EXPECT_EQ(with([](auto&) {}), Status::kAlreadyExists);
    EXPECT_EQ(driver.wire.settings.queues, 1);
}

// DQO RDA has no page lists, and drivers leave there what they like: DPDK a 0.
TEST_F(GveAdmin, ThePageListOfAQueueIsIgnored) {
    driver.configure();
    uint32_t id = 0;
    for (uint32_t page_list : {0u, 7u, kRawAddressing}) {
        CreateTxQueue tx = driver.create_tx_command(static_cast<uint16_t>(id), 64);
        tx.page_list_id = page_list;
        EXPECT_EQ(driver.command(Opcode::kCreateTxQueue, tx), Status::kPassed) << page_list;
        CreateRxQueue rx = driver.create_rx_command(static_cast<uint16_t>(id), {});
        rx.page_list_id = page_list;
        EXPECT_EQ(driver.command(Opcode::kCreateRxQueue, rx), Status::kPassed) << page_list;
        ++id;
    }
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(GveAdmin, DestroyRefused) {
    driver.bring_up();
    for (Opcode opcode : {Opcode::kDestroyTxQueue, Opcode::kDestroyRxQueue}) {
        EXPECT_EQ(driver.command(opcode, DestroyQueue{2}), Status::kNotFound);
        EXPECT_EQ(driver.command(opcode, DestroyQueue{0xffffffff}), Status::kNotFound);
        EXPECT_EQ(driver.command(opcode, DestroyQueue{1}), Status::kPassed);
        EXPECT_EQ(driver.command(opcode, DestroyQueue{1}), Status::kNotFound);
    }
}

TEST_F(GveAdmin, ReceiveSettingsFollowTheQueues) {
    driver.bring_up({.queues = 4});
    EXPECT_EQ(driver.wire.settings.queues, 4);
    EXPECT_TRUE(driver.wire.settings.header_split);
    EXPECT_FALSE(driver.wire.settings.rsc);
    EXPECT_EQ(driver.wire.settings.mtu, 9000);
    // One queue restarted, as a zero-copy registration does it: the others' flows stay where they
    // are.
    auto table = driver.wire.settings.rss_table;
    EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{3}), Status::kPassed);
    EXPECT_EQ(driver.wire.settings.queues, 4);
    EXPECT_EQ(driver.wire.settings.rss_table, table);
    driver.create_rx(3, {});
    EXPECT_EQ(driver.wire.settings.rss_table, table);
    // All gone, then fewer: the width shrinks.
    for (uint32_t id = 0; id < 4; ++id)
        EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{id}), Status::kPassed);
    EXPECT_EQ(driver.wire.settings.queues, 0);
    driver.create_rx(0, {});
    driver.create_rx(1, {});
    EXPECT_EQ(driver.wire.settings.queues, 2);
}

// ---- REPORT_STATS ----

TEST_F(GveAdmin, StatsAreWhereEthtoolLooksForThem) {
    driver.bring_up({.queues = 3});
    constexpr uint64_t kLength = 8 + (6 * 16 + 6 * 16) * 16;
    uint64_t report = driver.allocate(kLength);
    ASSERT_EQ(driver.command(Opcode::kReportStats, ReportStats{kLength, report, 20000}),
              Status::kPassed);
    auto stat = [&](uint32_t queue_count, uint32_t index, uint32_t which) {
        return driver.load<Statistic>(report + kLength - (queue_count - index) * 64 + which * 16);
    };
    auto bytes = pattern(100);
    Delivery starved = tcp_delivery(bytes, 1);
    starved.no_buffer = true;
    driver.device->deliver(starved);
    driver.device->end_of_burst();
    for (uint32_t queue = 0; queue < 3; ++queue)
        for (uint32_t which = 0; which < 4; ++which) {
            EXPECT_EQ(stat(3, queue, which).name, 65 + which);
            EXPECT_EQ(stat(3, queue, which).queue_id, queue);
            EXPECT_EQ(stat(3, queue, which).value, queue == 1 && which < 2 ? 1u : 0u);
        }
    // With a queue stopped the boundary moves.
    ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{2}), Status::kPassed);
    EXPECT_EQ(stat(2, 1, 1).queue_id, 1u);
    EXPECT_EQ(stat(2, 1, 1).value, 1u);
    // Detached: no more.
    ASSERT_EQ(driver.command(Opcode::kReportStats, ReportStats{0, 0, 20000}), Status::kPassed);
    driver.dma.log.clear();
    driver.device->deliver(starved);
    driver.device->end_of_burst();
    EXPECT_FALSE(driver.dma.touched(report, kLength));
}

TEST_F(GveAdmin, StatsAreForgottenByAReset) {
    driver.bring_up();
    uint64_t report = driver.allocate(4104);
    ASSERT_EQ(driver.command(Opcode::kReportStats, ReportStats{4104, report, 20000}),
              Status::kPassed);
    driver.driver_reset();
    driver.configure();
    driver.dma.log.clear();
    driver.create_rx(0, {});
    EXPECT_FALSE(driver.dma.touched(report, 4104));
}

TEST_F(GveAdmin, StatsAreWrittenOnlyWhenTheyChange) {
    driver.bring_up();
    uint64_t report = driver.allocate(4096 + 8);
    ASSERT_EQ(driver.command(Opcode::kReportStats, ReportStats{4104, report, 20000}),
              Status::kPassed);
    driver.dma.log.clear();
    auto bytes = pattern(100);
    for (int i = 0; i < 10; ++i) {
        driver.device->deliver(tcp_delivery(bytes));
        driver.device->end_of_burst();
    }
    EXPECT_FALSE(driver.dma.touched(report, 4104));
}

TEST_F(GveAdmin, ReportStatsRefused) {
    driver.bring_up({.queues = 3});
    uint64_t report = driver.allocate(4104);
    auto attach = [&](uint64_t length, uint64_t address) {
        return driver.command(Opcode::kReportStats, ReportStats{length, address, 20000});
    };
    constexpr uint64_t kLeast = 8 + 3 * 4 * 16;
    EXPECT_EQ(attach(kLeast - 1, report), Status::kInvalidArgument);
    EXPECT_EQ(attach(kLeast, report), Status::kPassed);
    EXPECT_EQ(attach(1ull << 40, report), Status::kInvalidArgument);
    EXPECT_EQ(attach(4104, ~uint64_t{0} - 100), Status::kInvalidArgument);
    EXPECT_EQ(attach(4104, kNoMemory), Status::kInvalidArgument);
    EXPECT_EQ(attach(4104, report), Status::kPassed);
}

// ---- Commands that are to fail ----

TEST_F(GveAdmin, ACommandThatIsToFailIsNotCarriedOut) {
    driver.bring_up();
    CommandFaults& faults = *driver.device->command_faults();
    faults.set({.command = CommandKind::kCloseReceiveQueue, .count = 1});
    EXPECT_EQ(driver.command(Opcode::kDestroyTxQueue, DestroyQueue{1}), Status::kPassed);
    EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kInternalError);
    EXPECT_EQ(driver.counter("command_faults"), 1u);
    EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kPassed);
    EXPECT_TRUE(driver.forbidden.empty()) << "the driver has done nothing wrong";
}

TEST_F(GveAdmin, BehindACommandWithoutAnAnswerThereIsNoneUntilTheNextDoorbell) {
    driver.bring_up();
    driver.device->command_faults()->set({.answer = CommandAnswer::kNone, .count = 1});
    Command silent{};
    silent.opcode = static_cast<uint32_t>(Opcode::kDestroyRxQueue);
    silent.body[3] = 1;  // of queue 1
    const uint64_t slot =
        driver.adminq + driver.produced % (kAdminqLength / sizeof(Command)) * sizeof(Command);
    driver.store(slot, silent);
    driver.write_register(offsetof(Registers, adminq_doorbell), ++driver.produced);
    EXPECT_EQ(driver.read_register(offsetof(Registers, adminq_event_counter)), driver.produced - 1);
    EXPECT_EQ(driver.load<Command>(slot).status.get(), static_cast<uint32_t>(Status::kUnset));
    EXPECT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{0}), Status::kPassed);
    EXPECT_EQ(driver.load<Command>(slot).status.get(), static_cast<uint32_t>(Status::kPassed));
}

}  // namespace
}  // namespace zcrxlab::nic::gve
