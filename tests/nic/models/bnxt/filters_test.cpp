// Rules and VNICs: which frames a VNIC gets, and what becomes of them while a queue restarts.
#include <gtest/gtest.h>

#include "nic/models/bnxt/layout/bnxt_filter_layout.hpp"
#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

// Two queues as Linux has them: the default VNIC spreads over the first only, and one for rules
// has both.
class BnxtFilters : public testing::Test {
  protected:
    BnxtFilters() {
        driver.send(HwrmType::kVnicAlloc);
        rules_vnic = driver.answer<VnicAllocated>().vnic;
        configure(rules_vnic);
        L2FilterAllocate request{};
        request.vnic = static_cast<uint16_t>(first.vnic);
        driver.send(HwrmType::kCfaL2FilterAlloc, request);
        l2_filter = driver.answer<L2FilterAllocated>().filter;
    }
    // A table of both queues, an MRU, the split.
    void configure(uint32_t vnic) {
        std::array<RssEntry, kRssEntries> table;
        for (size_t i = 0; i < table.size(); ++i) {
            const DriverQueue& queue = i % 2 == 0 ? first : second;
            table[i] = {queue.rx.number, queue.rx_completions.number};
        }
        RssConfigure rss{};
        rss.hash_types = kHashIpv4 | kHashTcp4;
        rss.vnic = static_cast<uint16_t>(vnic);
        rss.table = driver.allocate(sizeof(table));
        rss.key = driver.allocate(kRssKeySize);
        driver.store(rss.table, table);
        driver.store(rss.key, key);
        EXPECT_EQ(driver.send(HwrmType::kVnicRssCfg, rss), HwrmError::kNone);
        VnicConfigure settings{};
        settings.vnic = static_cast<uint16_t>(vnic);
        settings.mru = uint16_t{1518};
        EXPECT_EQ(driver.send(HwrmType::kVnicCfg, settings), HwrmError::kNone);
        DriverQueue queue = second;
        queue.vnic = vnic;
        EXPECT_EQ(driver.configure_placement(queue, 0), HwrmError::kNone);
    }
    // A rule as Linux makes it for "flow-type tcp6 dst-port 80 action 1".
    FlowRuleAllocate rule() {
        FlowRuleAllocate request{};
        request.enables = kEnableRuleL2Filter | kEnableRulePlace;
        request.l2_filter = l2_filter;
        request.address_type = kRuleIpv6;
        request.protocol = kProtocolTcp;
        request.vnic = static_cast<uint16_t>(rules_vnic);
        request.place = uint16_t{1};
        request.destination_port = uint16_t{80};
        request.destination_port_mask = uint16_t{0xffff};
        return request;
    }
    HwrmError add(const FlowRuleAllocate& request) {
        const HwrmError error = driver.send(HwrmType::kCfaNtupleFilterAlloc, request);
        number = driver.answer<FlowRuleAllocated>().rule;
        return error;
    }
    HwrmError remove(uint64_t rule) {
        FlowRuleFree request{};
        request.rule = rule;
        return driver.send(HwrmType::kCfaNtupleFilterFree, request);
    }
    HwrmError set_mru(uint32_t vnic, uint16_t mru) {
        VnicUpdate update{};
        update.vnic = vnic;
        update.enables = kUpdateMru;
        update.mru = mru;
        return driver.send(HwrmType::kVnicUpdate, update);
    }
    Accepted deliver(uint16_t queue, std::optional<uint32_t> by_rule, size_t size = 600) {
        const auto bytes = pattern(size);
        Delivery delivery = tcp_delivery(bytes, queue);
        delivery.rule = by_rule;
        const Accepted accepted = driver.device->deliver(delivery);
        driver.device->end_of_burst();
        return accepted;
    }
    const std::vector<FlowRule>& rules() const { return driver.wire.settings.rules; }

    BnxtDriver driver;
    DriverQueue first = driver.bring_up(0), second = driver.bring_up(1);
    std::array<uint8_t, kRssKeySize> key{0x11, 0x22};
    uint32_t rules_vnic = 0;
    uint64_t l2_filter = 0;
    uint64_t number = 0;
};

TEST_F(BnxtFilters, ARuleSteersToTheQueueAtItsPlaceOfTheTable) {
    FlowRuleAllocate request = rule();
    request.source[0] = 0x20;
    request.source_mask[0] = 0xf0;
    request.destination[15] = 9;
    request.destination_mask[15] = 0xff;
    request.source_port = uint16_t{0x1234};
    request.source_port_mask = uint16_t{0xff00};
    ASSERT_EQ(add(request), HwrmError::kNone);
    ASSERT_EQ(rules().size(), 1U);
    const FlowRule& made = rules()[0];
    EXPECT_EQ(made.location, number);
    EXPECT_EQ(made.queue, 1);
    EXPECT_EQ(made.l3, L3::kIpv6);
    EXPECT_EQ(made.l4, L4::kTcp);
    EXPECT_EQ(made.source[0], 0x20);
    EXPECT_EQ(made.source_mask[0], 0xf0);
    EXPECT_EQ(made.destination[15], 9);
    EXPECT_EQ(made.destination_mask[15], 0xff);
    EXPECT_EQ(made.source_port, 0x1234);
    EXPECT_EQ(made.source_port_mask, 0xff00);
    EXPECT_EQ(made.destination_port, 80);
    EXPECT_EQ(made.destination_port_mask, 0xffff);
    EXPECT_TRUE(made.rss_table.empty());
    request = rule();
    request.address_type = kRuleIpv4;
    request.protocol = kProtocolUdp;
    request.place = uint16_t{0};
    ASSERT_EQ(add(request), HwrmError::kNone);
    ASSERT_EQ(rules().size(), 2U);
    EXPECT_EQ(rules()[1].l3, L3::kIpv4);
    EXPECT_EQ(rules()[1].l4, L4::kUdp);
    EXPECT_EQ(rules()[1].queue, 0);
    EXPECT_EQ(remove(0), HwrmError::kNone);
    ASSERT_EQ(rules().size(), 1U);
    EXPECT_EQ(rules()[0].location, 1U);
    EXPECT_TRUE(driver.forbidden.empty());
    EXPECT_EQ(remove(0), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 1U);
}

TEST_F(BnxtFilters, WithoutAPlaceTheHashOfTheVnicChooses) {
    FlowRuleAllocate request = rule();
    request.enables = kEnableRuleL2Filter;
    ASSERT_EQ(add(request), HwrmError::kNone);
    ASSERT_EQ(rules().size(), 1U);
    ASSERT_EQ(rules()[0].rss_table.size(), kRssEntries);
    EXPECT_EQ(rules()[0].rss_table[0], 0);
    EXPECT_EQ(rules()[0].rss_table[1], 1);
    EXPECT_EQ(rules()[0].rss_key, std::vector<uint8_t>(key.begin(), key.end()));
    EXPECT_EQ(rules()[0].rss_types, rss_bit(RssType::kIpv4) | rss_bit(RssType::kTcp4));
    EXPECT_EQ(rules()[0].queue_without_hash, 0) << "it has no default ring, and its first one does";
    EXPECT_EQ(driver.wire.settings.rss_table, std::vector<uint16_t>(kRssEntries, 0))
        << "the default VNIC has its own";
}

TEST_F(BnxtFilters, FramesOfARuleArriveAtItsVnic) {
    ASSERT_EQ(add(rule()), HwrmError::kNone);
    driver.post(second.rx, 2, kRx, kRxBuffer);
    driver.post(second.aggregation, 2, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(1, number), Accepted::kYes);
    EXPECT_EQ(driver.poll(second.rx_completions).size(), 3U) << "split as its VNIC says";
    // The rule's VNIC alone is closed: its frames are lost, those of the default one are not.
    ASSERT_EQ(set_mru(rules_vnic, 0), HwrmError::kNone);
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff);
    EXPECT_EQ(driver.counter("rx_above_mru"), 1U);
    driver.post(first.rx, 1, kRx, kRxBuffer);
    driver.post(first.aggregation, 1, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(0, std::nullopt), Accepted::kYes);
    ASSERT_EQ(set_mru(rules_vnic, 1518), HwrmError::kNone);
    EXPECT_EQ(deliver(1, number, 1519), Accepted::kQueueOff);
    EXPECT_EQ(deliver(1, number, 1518), Accepted::kYes);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtFilters, WithADefaultVnicThatIsClosedRulesStillSteer) {
    ASSERT_EQ(add(rule()), HwrmError::kNone);
    ASSERT_EQ(set_mru(first.vnic, 0), HwrmError::kNone);
    EXPECT_EQ(driver.wire.settings.queues, kQueueLimit);
    EXPECT_EQ(driver.wire.settings.mtu, 1500);
    EXPECT_EQ(deliver(0, std::nullopt), Accepted::kQueueOff);
    driver.post(second.rx, 1, kRx, kRxBuffer);
    driver.post(second.aggregation, 1, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(1, number), Accepted::kYes);
}

TEST_F(BnxtFilters, ARuleMayDrop) {
    FlowRuleAllocate request = rule();
    request.flags = kRuleDrops;
    request.enables = kEnableRuleL2Filter;
    request.vnic = kNoRing;
    ASSERT_EQ(add(request), HwrmError::kNone);
    driver.post(first.rx, 1, kRx, kRxBuffer);
    driver.post(first.aggregation, 1, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(rules()[0].queue, number), Accepted::kQueueOff);
    EXPECT_EQ(driver.counter("rx_no_vnic"), 1U);
    EXPECT_TRUE(driver.poll(first.rx_completions).empty());
}

TEST_F(BnxtFilters, WithItsVnicARuleLosesItsFramesAndCanStillBeFreed) {
    ASSERT_EQ(add(rule()), HwrmError::kNone);
    VnicFree gone{};
    gone.vnic = rules_vnic;
    ASSERT_EQ(driver.send(HwrmType::kVnicFree, gone), HwrmError::kNone);
    driver.post(second.rx, 1, kRx, kRxBuffer);
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff);
    // Another one of the same number is another one.
    ASSERT_EQ(driver.send(HwrmType::kVnicAlloc), HwrmError::kNone);
    ASSERT_EQ(driver.answer<VnicAllocated>().vnic, rules_vnic);
    configure(rules_vnic);
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff);
    EXPECT_EQ(remove(number), HwrmError::kNone);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtFilters, RulesGoWithTheFilterThatTheyHangOn) {
    ASSERT_EQ(add(rule()), HwrmError::kNone);
    L2FilterFree request{};
    request.filter = l2_filter;
    ASSERT_EQ(driver.send(HwrmType::kCfaL2FilterFree, request), HwrmError::kNone);
    EXPECT_TRUE(rules().empty());
    EXPECT_EQ(add(rule()), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 1U);
    EXPECT_EQ(driver.send(HwrmType::kFuncReset), HwrmError::kNone);
}

TEST_F(BnxtFilters, RulesThatCannotBeAreRefused) {
    struct Case {
        const char* what;
        HwrmError error;
        bool is_forbidden;
        void (*spoil)(FlowRuleAllocate&);
    };
    const auto invalid = HwrmError::kInvalidParameters;
    const auto unsupported = HwrmError::kUnsupportedOption;
    const Case cases[] = {
        {"no such VNIC", invalid, true, [](FlowRuleAllocate& one) { one.vnic = kNoRing; }},
        {"no such place", invalid, true, [](FlowRuleAllocate& one) { one.place = kRssEntries; }},
        {"no filter", invalid, true, [](FlowRuleAllocate& one) { one.l2_filter = 9; }},
        {"neither IPv4 nor IPv6", invalid, true,
         [](FlowRuleAllocate& one) { one.address_type = 5; }},
        {"a protocol that is not told apart", unsupported, false,
         [](FlowRuleAllocate& one) { one.protocol = 132; }},
        {"ICMP of the other family", unsupported, false,
         [](FlowRuleAllocate& one) { one.protocol = kProtocolIcmp; }},
        {"a tunnel", unsupported, false,
         [](FlowRuleAllocate& one) { one.enables = one.enables | kEnableRuleTunnel; }},
        {"to a ring", unsupported, false, [](FlowRuleAllocate& one) { one.flags = 0x20U; }},
    };
    for (const Case& one : cases) {
        driver.forbidden.clear();
        FlowRuleAllocate request = rule();
        one.spoil(request);
        EXPECT_EQ(add(request), one.error) << one.what;
        EXPECT_EQ(driver.forbidden.size(), one.is_forbidden ? 1U : 0U) << one.what;
    }
    EXPECT_TRUE(rules().empty());
}

TEST_F(BnxtFilters, RulesRunOut) {
    for (int i = 0; i < kRuleLimit; ++i) ASSERT_EQ(add(rule()), HwrmError::kNone);
    EXPECT_EQ(add(rule()), HwrmError::kNoResource);
    EXPECT_EQ(remove(7), HwrmError::kNone);
    EXPECT_EQ(add(rule()), HwrmError::kNone);
    EXPECT_EQ(number, 7U);
}

// As bnxt_queue_stop() and bnxt_queue_start() do it.
TEST_F(BnxtFilters, AQueueRestartsWhileAnotherOneReceives) {
    ASSERT_EQ(add(rule()), HwrmError::kNone);
    const auto old = driver.post(second.aggregation, 4, kAggregation, kAggregationBuffer);
    driver.post(second.rx, 4, kRx, kRxBuffer);
    EXPECT_EQ(deliver(1, number), Accepted::kYes);
    EXPECT_EQ(driver.poll(second.rx_completions).size(), 3U);
    driver.ring(DoorbellType::kCompletions, second.rx_completions.number,
                second.rx_completions.next);

    ASSERT_EQ(set_mru(rules_vnic, 0), HwrmError::kNone);
    const size_t writes = driver.witness.writes.size();
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff);
    ASSERT_EQ(driver.free_ring(RingType::kRx, second.rx.number), HwrmError::kNone);
    ASSERT_EQ(driver.free_ring(RingType::kAggregation, second.aggregation.number),
              HwrmError::kNone);
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff);
    driver.post(first.rx, 1, kRx, kRxBuffer);
    driver.post(first.aggregation, 1, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(0, std::nullopt), Accepted::kYes) << "the other queue goes on";
    EXPECT_EQ(driver.witness.writes.size(), writes + 2);

    RingAllocate more{};
    more.number = uint16_t{1};
    more.buffer_size = kRxBuffer;
    ASSERT_EQ(driver.allocate_ring(RingType::kRx, second.rx, 16, more), HwrmError::kNone);
    more.buffer_size = uint16_t{16384};  // another size than before
    more.rx_ring = second.rx.number;
    ASSERT_EQ(driver.allocate_ring(RingType::kAggregation, second.aggregation, 16, more),
              HwrmError::kNone);
    driver.post(second.rx, 4, kRx, kRxBuffer);
    const auto buffers = driver.post(second.aggregation, 4, kAggregation, 16384);
    EXPECT_EQ(deliver(1, number), Accepted::kQueueOff) << "not before the MRU is back";
    configure(rules_vnic);
    ASSERT_EQ(set_mru(rules_vnic, 9018), HwrmError::kNone);
    EXPECT_EQ(deliver(1, number, 8000), Accepted::kYes);
    EXPECT_EQ(driver.poll(second.rx_completions).size(), 3U) << "one buffer is enough";
    EXPECT_EQ(driver.witness.writes.back().address, buffers[0]);
    EXPECT_TRUE(driver.forbidden.empty());
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
