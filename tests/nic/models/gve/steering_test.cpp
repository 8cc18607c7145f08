// Admin commands about RSS and flow rules, with good and with bad input.
#include <gtest/gtest.h>

#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

class GveSteering : public testing::Test {
  protected:
    void SetUp() override { driver.bring_up({.queues = 4}); }

    Status configure(std::span<const uint32_t> table, std::span<const std::byte> key) {
        ConfigureRss command{};
        command.hash_types = kHashTypesDefault;
        command.hash_algorithm = kHashToeplitz;
        if (!table.empty()) {
            command.lut_size = static_cast<uint16_t>(table.size());
            uint64_t address = driver.allocate(table.size() * 4);
            for (size_t i = 0; i < table.size(); ++i) driver.store(address + i * 4, Be32(table[i]));
            command.lut_address = address;
        }
        if (!key.empty()) {
            command.key_size = static_cast<uint16_t>(key.size());
            command.key_address = driver.allocate(key.size());
            driver.fill(command.key_address, key);
        }
        return driver.command(Opcode::kConfigureRss, command);
    }
    void restart_with(uint32_t before, uint32_t after) {
        for (uint32_t id = 0; id < before; ++id)
            ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{id}), Status::kPassed);
        for (uint32_t id = 0; id < after; ++id) driver.create_rx(static_cast<uint16_t>(id), {});
    }
    const ReceiveSettings& settings() { return driver.wire.settings; }

    GveDriver driver;
};

// ---- RSS ----

TEST_F(GveSteering, TheDefaultTableSpreadsOverAllQueues) {
    ASSERT_EQ(settings().rss_table.size(), 128u);
    for (size_t i = 0; i < 128; ++i) EXPECT_EQ(settings().rss_table[i], i % 4);
    ASSERT_EQ(settings().rss_key.size(), 40u);
    EXPECT_EQ(settings().rss_key[0], 0x6d);
    restart_with(4, 3);
    for (size_t i = 0; i < 128; ++i) EXPECT_EQ(settings().rss_table[i], i % 3);
}

TEST_F(GveSteering, KeyAndTableAreSetTogetherOrAlone) {
    std::vector<uint32_t> table(128, 2);
    auto key = pattern(40);
    ASSERT_EQ(configure(table, {}), Status::kPassed);
    EXPECT_EQ(settings().rss_table, std::vector<uint16_t>(128, 2));
    EXPECT_EQ(settings().rss_key[0], 0x6d);
    ASSERT_EQ(configure({}, key), Status::kPassed);
    EXPECT_EQ(settings().rss_table, std::vector<uint16_t>(128, 2));
    EXPECT_EQ(std::memcmp(settings().rss_key.data(), key.data(), 40), 0);
    // A table of the driver's own stays when queues come and go; the default follows them.
    restart_with(4, 3);
    EXPECT_EQ(settings().rss_table, std::vector<uint16_t>(128, 2));
    for (uint32_t i = 0; i < 128; ++i) table[i] = i % 3;
    ASSERT_EQ(configure(table, {}), Status::kPassed);
    restart_with(3, 4);
    EXPECT_EQ(settings().rss_table[3], 3);
}

TEST_F(GveSteering, RssIsReadBack) {
    std::vector<uint32_t> table(128);
    for (uint32_t i = 0; i < 128; ++i) table[i] = (i * 7) % 4;
    auto key = pattern(40, 9);
    ASSERT_EQ(configure(table, key), Status::kPassed);
    uint64_t page = driver.allocate(4096);
    ASSERT_EQ(driver.command(Opcode::kQueryRss, QueryRss{4096, page}), Status::kPassed);
    auto descriptor = driver.load<QueryRssDescriptor>(page);
    EXPECT_EQ(descriptor.total_length, 8u + 40 + 512);
    EXPECT_EQ(descriptor.hash_algorithm, kHashToeplitz);
    EXPECT_EQ(descriptor.hash_types, kHashTypesDefault);
    EXPECT_EQ(driver.memory(page + 8, 40), key);
    for (uint32_t i = 0; i < 128; ++i) EXPECT_EQ(driver.load<Be32>(page + 48 + i * 4), table[i]);
}

TEST_F(GveSteering, QueryRssRefused) {
    uint64_t page = driver.allocate(560);
    EXPECT_EQ(driver.command(Opcode::kQueryRss, QueryRss{559, page}), Status::kInvalidArgument);
    EXPECT_EQ(driver.command(Opcode::kQueryRss, QueryRss{4096, kNoMemory}),
              Status::kInvalidArgument);
    EXPECT_EQ(driver.command(Opcode::kQueryRss, QueryRss{560, page}), Status::kPassed);
}

TEST_F(GveSteering, ConfigureRssRefusedChangesNothing) {
    ReceiveSettings before = settings();
    std::vector<uint32_t> table(128, 1);
    auto key = pattern(40);
    auto raw = [&](auto change) {
        ConfigureRss command{};
        command.hash_types = kHashTypesDefault;
        command.hash_algorithm = kHashToeplitz;
        change(command);
        return driver.command(Opcode::kConfigureRss, command);
    };
    EXPECT_EQ(raw([](auto& c) { c.hash_algorithm = 2; }), Status::kInvalidArgument);
    EXPECT_EQ(raw([](auto& c) { c.hash_types = 0x200; }), Status::kInvalidArgument);
    EXPECT_EQ(raw([](auto& c) { c.key_size = 39; }), Status::kInvalidArgument);
    EXPECT_EQ(raw([](auto& c) { c.lut_size = 64; }), Status::kInvalidArgument);
    EXPECT_EQ(raw([](auto& c) {
                  c.key_size = 40;
                  c.key_address = kNoMemory;
              }),
              Status::kInvalidArgument);
    EXPECT_EQ(raw([](auto& c) {
                  c.lut_size = 128;
                  c.lut_address = kNoMemory;
              }),
              Status::kInvalidArgument);
    table[127] = 16;
    EXPECT_EQ(configure(table, key), Status::kInvalidArgument);
    table[127] = 0xffffffff;
    EXPECT_EQ(configure(table, key), Status::kInvalidArgument);
    EXPECT_EQ(settings().rss_key, before.rss_key);
    EXPECT_EQ(settings().rss_table, before.rss_table);
}

// ---- Flow rules ----

FlowRuleLayout tcp4_rule(uint16_t queue, uint16_t port) {
    FlowRuleLayout rule{};
    rule.type = static_cast<uint16_t>(FlowType::kTcpV4);
    rule.action = queue;
    rule.key.destination_port = port;
    rule.mask.destination_port = 0xffff;
    rule.key.source[0] = 10;
    rule.key.source[3] = 2;
    std::memset(rule.mask.source, 0xff, 4);
    return rule;
}

TEST_F(GveSteering, RulesReachTheWireInItsTerms) {
    ASSERT_EQ(driver.add_rule(7, tcp4_rule(3, 9999)), Status::kPassed);
    FlowRuleLayout udp6{};
    udp6.type = static_cast<uint16_t>(FlowType::kUdpV6);
    udp6.action = 2;
    udp6.key.destination[15] = 1;
    std::memset(udp6.mask.destination, 0xff, 16);
    udp6.key.source_port = 53;
    udp6.mask.source_port = 0xffff;
    udp6.key.traffic_class = 8;
    udp6.mask.traffic_class = 0xff;
    ASSERT_EQ(driver.add_rule(2, udp6), Status::kPassed);
    ASSERT_EQ(settings().rules.size(), 2u);
    const FlowRule& second = settings().rules[1];
    EXPECT_EQ(second.location, 7u);
    EXPECT_EQ(second.queue, 3);
    EXPECT_EQ(second.l3, L3::kIpv4);
    EXPECT_EQ(second.l4, L4::kTcp);
    EXPECT_EQ(second.destination_port, 9999);
    EXPECT_EQ(second.destination_port_mask, 0xffff);
    EXPECT_EQ(second.source_port_mask, 0);
    EXPECT_EQ(second.source[0], 10);
    EXPECT_EQ(second.source_mask[3], 0xff);
    EXPECT_EQ(second.source_mask[4], 0);
    const FlowRule& first = settings().rules[0];
    EXPECT_EQ(first.location, 2u);
    EXPECT_EQ(first.l3, L3::kIpv6);
    EXPECT_EQ(first.l4, L4::kUdp);
    EXPECT_EQ(first.source_port, 53);
    EXPECT_EQ(first.destination[15], 1);
    EXPECT_EQ(first.destination_mask[15], 0xff);
    EXPECT_EQ(first.traffic_class, 8);
}

TEST_F(GveSteering, EveryFlowTypeOfTheDriverIsTaken) {
    for (uint16_t type = 0; type < 10; ++type) {
        FlowRuleLayout rule{};
        rule.type = type;
        EXPECT_EQ(driver.add_rule(type, rule), Status::kPassed) << type;
    }
    FlowRuleLayout unknown{};
    unknown.type = 10;
    EXPECT_EQ(driver.add_rule(11, unknown), Status::kInvalidArgument);
}

TEST_F(GveSteering, RulesAreReplacedDeletedAndReset) {
    auto change = [&](FlowRuleCommand what, uint32_t location) {
        uint64_t inner = driver.allocate(sizeof(ConfigureFlowRule));
        ConfigureFlowRule command{};
        command.command = static_cast<uint16_t>(what);
        command.location = location;
        driver.store(inner, command);
        return driver.command(Opcode::kExtended, ExtendedCommand{0x101, 92, inner});
    };
    ASSERT_EQ(driver.add_rule(1, tcp4_rule(1, 1)), Status::kPassed);
    ASSERT_EQ(driver.add_rule(1, tcp4_rule(2, 1)), Status::kPassed);
    ASSERT_EQ(settings().rules.size(), 1u);
    EXPECT_EQ(settings().rules[0].queue, 2);
    EXPECT_EQ(change(FlowRuleCommand::kDelete, 2), Status::kNotFound);
    EXPECT_EQ(change(FlowRuleCommand::kDelete, 1), Status::kPassed);
    EXPECT_TRUE(settings().rules.empty());
    ASSERT_EQ(driver.add_rule(1, tcp4_rule(1, 1)), Status::kPassed);
    ASSERT_EQ(driver.add_rule(63, tcp4_rule(1, 2)), Status::kPassed);
    EXPECT_EQ(change(FlowRuleCommand::kReset, 0), Status::kPassed);
    EXPECT_TRUE(settings().rules.empty());
    EXPECT_EQ(change(static_cast<FlowRuleCommand>(3), 0), Status::kInvalidArgument);
}

TEST_F(GveSteering, RulesRefused) {
    EXPECT_EQ(driver.add_rule(64, tcp4_rule(1, 1)), Status::kOutOfRange);
    EXPECT_EQ(driver.add_rule(0xffffffff, tcp4_rule(1, 1)), Status::kOutOfRange);
    EXPECT_EQ(driver.add_rule(0, tcp4_rule(16, 1)), Status::kInvalidArgument);
    auto extended = [&](uint32_t opcode, uint32_t length, uint64_t address) {
        return driver.command(Opcode::kExtended, ExtendedCommand{opcode, length, address});
    };
    uint64_t inner = driver.allocate(92);
    EXPECT_EQ(extended(0x102, 92, inner), Status::kUnimplemented);
    EXPECT_EQ(extended(0x5, 92, inner), Status::kUnimplemented);
    EXPECT_EQ(extended(0x101, 91, inner), Status::kInvalidArgument);
    EXPECT_EQ(extended(0x101, 0xffffffff, inner), Status::kInvalidArgument);
    EXPECT_EQ(extended(0x101, 92, kNoMemory), Status::kInvalidArgument);
    EXPECT_TRUE(settings().rules.empty());
}

TEST_F(GveSteering, ResetOfTheDeviceForgetsRulesAndTable) {
    ASSERT_EQ(driver.add_rule(1, tcp4_rule(1, 1)), Status::kPassed);
    ASSERT_EQ(configure(std::vector<uint32_t>(128, 3), {}), Status::kPassed);
    driver.driver_reset();
    driver.bring_up({.queues = 4});
    EXPECT_TRUE(settings().rules.empty());
    EXPECT_EQ(settings().rss_table[1], 1);
}

// ---- Queries ----

struct Answer {
    QueryFlowRulesDescriptor head;
    std::vector<std::byte> list;
};

TEST_F(GveSteering, RulesAreReadBackInOrderAndInParts) {
    uint64_t page = driver.allocate(4096);
    auto query = [&](FlowRuleQuery what, uint32_t from, uint64_t length = 4096) {
        EXPECT_EQ(
            driver.command(Opcode::kQueryFlowRules,
                           QueryFlowRules{static_cast<uint16_t>(what), {}, from, length, page}),
            Status::kPassed);
        Answer answer;
        answer.head = driver.load<QueryFlowRulesDescriptor>(page);
        answer.list = driver.memory(page + 16, answer.head.total_length - 16);
        return answer;
    };
    for (uint32_t location = 0; location < 60; ++location)
        ASSERT_EQ(
            driver.add_rule(location, tcp4_rule(location % 4, static_cast<uint16_t>(location))),
            Status::kPassed);

    Answer stats = query(FlowRuleQuery::kStats, 0);
    EXPECT_EQ(stats.head.num_flow_rules, 60u);
    EXPECT_EQ(stats.head.max_flow_rules, 64u);
    EXPECT_EQ(stats.head.total_length, 16u);

    Answer ids = query(FlowRuleQuery::kIds, 10);
    ASSERT_EQ(ids.head.num_queried_rules, 50u);
    ASSERT_EQ(ids.list.size(), 200u);
    EXPECT_EQ(driver.load<Be32>(page + 16), 10u);
    EXPECT_EQ(query(FlowRuleQuery::kIds, 60).head.num_queried_rules, 0u);
    EXPECT_EQ(query(FlowRuleQuery::kIds, 0, 16 + 12).head.num_queried_rules, 3u);

    // A page holds 46 rules, as many as the driver's cache.
    Answer rules = query(FlowRuleQuery::kRules, 5);
    EXPECT_EQ(rules.head.num_queried_rules, 46u);
    EXPECT_EQ(rules.list.size(), 46u * 88);
    auto first = driver.load<QueriedFlowRule>(page + 16);
    EXPECT_EQ(first.location, 5u);
    EXPECT_EQ(first.rule.action, 1);
    EXPECT_EQ(first.rule.key.destination_port, 5);
    EXPECT_EQ(driver.load<QueriedFlowRule>(page + 16 + 45 * 88).location, 50u);
}

TEST_F(GveSteering, QueriesRefused) {
    uint64_t page = driver.allocate(4096);
    auto query = [&](uint16_t what, uint64_t length, uint64_t address) {
        return driver.command(Opcode::kQueryFlowRules,
                              QueryFlowRules{what, {}, 0, length, address});
    };
    EXPECT_EQ(query(3, 4096, page), Status::kInvalidArgument);
    EXPECT_EQ(query(2, 15, page), Status::kInvalidArgument);
    EXPECT_EQ(query(2, 4096, kNoMemory), Status::kInvalidArgument);
    EXPECT_EQ(query(2, ~uint64_t{0}, page), Status::kPassed);
}

}  // namespace
}  // namespace zcrxlab::nic::gve
