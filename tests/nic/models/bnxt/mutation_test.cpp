// Each mistake that the model makes on purpose: what the driver sees of it, and that the witness is
// told the truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

using Bytes = std::vector<std::byte>;

class BnxtMutation : public testing::Test {
  protected:
    void be(Mutation mutation, uint16_t on = 0) {
        BnxtConfig config;
        config.mutation = mutation;
        driver = std::make_unique<BnxtDriver>(config);
        queue = driver->bring_up(0, kEntries);
        if (on != 0) {
            queue = driver->bring_up(on, kEntries);
            ASSERT_EQ(driver->configure_rss(queue), HwrmError::kNone);
        }
        place = on;
        ASSERT_EQ(driver->configure_placement(queue, 0), HwrmError::kNone);
    }
    // Posts what one packet of `payload` bytes takes; the addresses for its payload.
    std::vector<uint64_t> post(size_t payload) {
        driver->post(queue.rx, 1, kRx, kRxBuffer);
        const size_t buffers = (payload + kAggregationBuffer - 1) / kAggregationBuffer;
        return driver->post(queue.aggregation, static_cast<uint32_t>(buffers), kAggregation,
                            kAggregationBuffer);
    }
    // Delivers one, and reads what was completed.
    std::vector<Entry> pass(size_t payload) {
        sent = pattern(kHeaders + payload);
        Delivery delivery = tcp_delivery(sent, place);
        delivery.header_length = delivery.payload_offset = kHeaders;
        EXPECT_EQ(driver->device->deliver(delivery), Accepted::kYes);
        driver->device->end_of_burst();
        auto entries = driver->poll(queue.rx_completions);
        driver->ring(DoorbellType::kCompletions, queue.rx_completions.number,
                     queue.rx_completions.next);
        return entries;
    }
    // Up to the packet that is hit, which comes next.
    void pass_those_before(size_t payload) {
        for (uint32_t i = 1; i < kMutationPeriod; ++i) {
            newest = post(payload);
            EXPECT_FALSE(pass(payload).empty());
        }
        driver->witness.writes.clear();
    }
    static uint16_t length_of(const Entry& entry) {
        RxAggregation aggregation;
        std::memcpy(&aggregation, &entry, sizeof(aggregation));
        return aggregation.length;
    }
    // The witness says what lies where.
    void expect_honest() {
        for (const auto& write : driver->witness.writes)
            EXPECT_TRUE(lies_there(write)) << write.address;
    }
    template <typename Write>
    bool lies_there(const Write& write) {
        const Bytes there = driver->memory(write.address, write.length);
        return std::search(sent.begin(), sent.end(), there.begin(), there.end()) != sent.end();
    }

    static constexpr uint32_t kEntries = 64;
    std::unique_ptr<BnxtDriver> driver;
    DriverQueue queue;
    uint16_t place = 0;
    Bytes sent;
    std::vector<uint64_t> newest;
};

TEST_F(BnxtMutation, CompletionLostWritesAndSaysNothing) {
    be(Mutation::kCompletionLost);
    pass_those_before(100);
    post(100);
    EXPECT_TRUE(pass(100).empty());
    EXPECT_EQ(driver->witness.writes.size(), 2u);
    expect_honest();
}

TEST_F(BnxtMutation, LengthOffMovesOneByteFromTheFirstBufferToTheLast) {
    be(Mutation::kLengthOff);
    pass_those_before(5000);
    post(5000);
    const auto entries = pass(5000);
    ASSERT_EQ(entries.size(), 4u);
    EXPECT_EQ(length_of(entries[2]), 4095);
    EXPECT_EQ(length_of(entries[3]), 905);
    expect_honest();
}

TEST_F(BnxtMutation, LengthOffNeverLeavesABuffer) {
    be(Mutation::kLengthOff);
    for (uint32_t i = 0; i < 2 * kMutationPeriod; ++i) {
        post(8192);
        const auto entries = pass(8192);
        ASSERT_EQ(entries.size(), 4u);
        EXPECT_EQ(length_of(entries[2]), 4096);
    }
}

TEST_F(BnxtMutation, BufferTwiceWritesOverThePacketBefore) {
    be(Mutation::kBufferTwice);
    pass_those_before(100);
    post(100);
    EXPECT_EQ(pass(100).size(), 3u);
    ASSERT_EQ(driver->witness.writes.size(), 2u);
    EXPECT_EQ(driver->witness.writes[1].address, newest[0]);
    expect_honest();
}

TEST_F(BnxtMutation, BufferKeptIsNeverCompleted) {
    be(Mutation::kBufferKept);
    driver->post(queue.aggregation, 1, kAggregation, kAggregationBuffer);
    pass_those_before(100);
    for (uint32_t i = 0; i < 2 * kMutationPeriod; ++i) {
        post(100);
        EXPECT_EQ(pass(100).size(), 3u);
    }
    EXPECT_EQ(driver->counter("rx0_posted"), 0u) << "the one that was posted first is gone";
}

TEST_F(BnxtMutation, DmaAfterDestroyWritesBuffersThatAreInUseAgain) {
    be(Mutation::kDmaAfterDestroy);
    const auto left = driver->post(queue.aggregation, 12, kAggregation, kAggregationBuffer);
    ASSERT_EQ(driver->free_ring(RingType::kAggregation, queue.aggregation.number),
              HwrmError::kNone);
    RingAllocate more{};
    more.rx_ring = queue.rx.number;
    more.buffer_size = kAggregationBuffer;
    queue.aggregation = {};
    ASSERT_EQ(driver->allocate_ring(RingType::kAggregation, queue.aggregation, kEntries, more),
              HwrmError::kNone);
    // Other memory: nothing of the old is touched.
    post(100);
    pass(100);
    EXPECT_EQ(driver->witness.writes.size(), 2u);
    // The same memory: it is written again after it was filled.
    for (const uint64_t address : left)
        driver->put(queue.aggregation,
                    BufferDescriptor{kAggregation, kAggregationBuffer, 0u, address});
    driver->ring(DoorbellType::kReceive, queue.aggregation.number, queue.aggregation.next);
    driver->witness.writes.clear();
    for (size_t i = 0; i < left.size(); ++i) {
        driver->post(queue.rx, 1, kRx, kRxBuffer);
        pass(100);
    }
    uint32_t twice = 0;
    for (const uint64_t address : left)
        if (std::ranges::count(driver->witness.writes, address,
                               [](const auto& write) { return write.address; }) == 2)
            ++twice;
    EXPECT_EQ(twice, 4u);
}

TEST_F(BnxtMutation, DmaAfterDestroyGoesOnWithAnUnfinishedAggregate) {
    be(Mutation::kDmaAfterDestroy);
    ASSERT_EQ(driver->join_segments(queue), HwrmError::kNone);
    driver->post(queue.rx, 2, kRx, kRxBuffer);
    const auto left = driver->post(queue.aggregation, 10, kAggregation, kAggregationBuffer);
    sent = pattern(kHeaders + 1000);
    Delivery begun = joined_delivery(sent, 0);
    begun.rest = Rest::kWithNext;
    ASSERT_EQ(driver->device->deliver(begun), Accepted::kYes);
    ASSERT_EQ(driver->free_ring(RingType::kAggregation, queue.aggregation.number),
              HwrmError::kNone);
    RingAllocate more{};
    more.rx_ring = queue.rx.number;
    more.buffer_size = kAggregationBuffer;
    queue.aggregation = {};
    ASSERT_EQ(driver->allocate_ring(RingType::kAggregation, queue.aggregation, kEntries, more),
              HwrmError::kNone);
    for (const uint64_t address : left)
        driver->put(queue.aggregation,
                    BufferDescriptor{kAggregation, kAggregationBuffer, 0u, address});
    driver->ring(DoorbellType::kReceive, queue.aggregation.number, queue.aggregation.next);
    driver->witness.writes.clear();
    for (size_t i = 0; i < left.size(); ++i) {
        driver->post(queue.rx, 1, kRx, kRxBuffer);
        pass(100);
    }
    EXPECT_EQ(std::ranges::count(driver->witness.writes, left[0],
                                 [](const auto& write) { return write.address; }),
              2)
        << "the buffer of the aggregate is filled, and written again";
}

TEST_F(BnxtMutation, StaleGenerationHidesThePacketsBehindTheWrap) {
    for (const uint16_t on : {uint16_t{0}, uint16_t{1}}) {
        be(Mutation::kStaleGeneration, on);
        uint32_t hidden = 0;
        for (uint32_t i = 0; i < 2 * kEntries; ++i) {
            post(100);
            if (pass(100).size() < 3) ++hidden;
        }
        EXPECT_EQ(hidden != 0, on != 0);
    }
}

TEST_F(BnxtMutation, HeaderInPayloadShiftsItBy4) {
    be(Mutation::kHeaderInPayload);
    pass_those_before(100);
    const auto buffers = post(100);
    EXPECT_EQ(pass(100).size(), 3u);
    const Bytes there = driver->memory(buffers[0], 100);
    EXPECT_TRUE(std::equal(there.begin(), there.end(), sent.begin() + kHeaders - 4));
    expect_honest();
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
