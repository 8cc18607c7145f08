// Statistics: the counters of contexts in guest memory, and those of the port.
#include "nic/models/bnxt/datapath/bnxt_statistics.hpp"

#include <gtest/gtest.h>

#include "nic/models/bnxt/layout/bnxt_statistics_layout.hpp"
#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

class BnxtStatistics : public testing::Test {
  protected:
    BnxtStatistics() {
        block_ = driver.allocate(sizeof(StatBlock));
        EXPECT_EQ(add(block_), 0u);
        queue = driver.bring_up();  // its rings name context 0
        driver.post(queue.rx, 4, BufferDescriptor::kTypeReceive, kRxBuffer);
    }
    uint32_t add(uint64_t address) {
        StatAllocate request{};
        request.address = address;
        request.length = uint16_t{sizeof(StatBlock)};
        EXPECT_EQ(driver.send(HwrmType::kStatCtxAlloc, request), HwrmError::kNone);
        return driver.answer<StatAnswer>().context;
    }
    void deliver(std::span<const std::byte> frame) {
        Delivery delivery = tcp_delivery(frame);
        delivery.header_length = 0;
        driver.device->deliver(delivery);
        driver.device->end_of_burst();
    }
    StatBlock block() { return driver.load<StatBlock>(block_); }

    BnxtDriver driver;
    DriverQueue queue;

  private:
    uint64_t block_ = 0;
};

TEST_F(BnxtStatistics, JoinedSegmentsAreCountedAsTheyWereOnTheWire) {
    ASSERT_EQ(driver.join_segments(queue), HwrmError::kNone);
    driver.post(queue.aggregation, 4, BufferDescriptor::kTypeAggregation, kAggregationBuffer);
    const auto joined = pattern(kHeaders + 2500);
    driver.device->deliver(joined_delivery(joined, 1000));
    const auto alone = pattern(kHeaders + 600);
    driver.device->deliver(joined_delivery(alone, 0));
    driver.device->end_of_burst();
    EXPECT_EQ(block().rx.unicast_packets, 4u);
    EXPECT_EQ(block().rx_unicast_bytes, 4u * kHeaders + 3100);
    EXPECT_EQ(block().joinable_packets, 4u);
    EXPECT_EQ(block().joinable_bytes, 3100u);
    EXPECT_EQ(block().joined_packets, 3u);
    EXPECT_EQ(block().joined_bytes, 2500u);
}

TEST_F(BnxtStatistics, FramesAreCountedByTheirAddress) {
    std::vector<std::byte> frame(60);
    deliver(frame);
    frame[0] = std::byte{0x33};
    deliver(frame);
    std::fill_n(frame.begin(), 6, std::byte{0xff});
    deliver(frame);
    EXPECT_EQ(block().rx.unicast_packets, 1u);
    EXPECT_EQ(block().rx.multicast_packets, 1u);
    EXPECT_EQ(block().rx.broadcast_packets, 1u);
    EXPECT_EQ(block().rx_unicast_bytes, 60u);
    EXPECT_EQ(block().rx_broadcast_bytes, 60u);
    deliver(std::vector<std::byte>(60));
    deliver(std::vector<std::byte>(60));
    EXPECT_EQ(block().rx_discarded, 1u) << "there was no buffer";
    const uint64_t memory = driver.allocate(60);
    driver.put(queue.tx,
               BufferDescriptor{BufferDescriptor::kPacketEnd | 1 << BufferDescriptor::kCountShift,
                                uint16_t{60}, uint32_t{0}, memory});
    driver.ring(DoorbellType::kTransmit, queue.tx.number, queue.tx.next);
    EXPECT_EQ(block().tx.unicast_packets, 1u);
    EXPECT_EQ(block().tx_unicast_bytes, 60u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtStatistics, ABlockThatIsFreedIsNotWritten) {
    StatFree request{};
    ASSERT_EQ(driver.send(HwrmType::kStatCtxFree, request), HwrmError::kNone);
    deliver(std::vector<std::byte>(60));
    EXPECT_EQ(block().rx.unicast_packets, 0u);
    EXPECT_EQ(driver.send(HwrmType::kStatCtxClrStats, request), HwrmError::kInvalidParameters);
}

TEST_F(BnxtStatistics, ABlockCanBeCleared) {
    deliver(std::vector<std::byte>(60));
    EXPECT_EQ(driver.send(HwrmType::kStatCtxClrStats, StatFree{}), HwrmError::kNone);
    driver.device->end_of_burst();
    EXPECT_EQ(block().rx.unicast_packets, 0u);
}

TEST_F(BnxtStatistics, ABlockThatIsNoMemoryIsToldOfOnce) {
    add(0x10);
    driver.device->end_of_burst();
    driver.device->end_of_burst();
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
}

TEST_F(BnxtStatistics, ThePortSaysWhatItCountedAndHowWide) {
    deliver(std::vector<std::byte>(60));
    PortStatistics request{};
    request.rx_address = driver.allocate(kPortRxCounters * 8);
    request.tx_address = driver.allocate(kPortTxCounters * 8);
    ASSERT_EQ(driver.send(HwrmType::kPortQstats, request), HwrmError::kNone);
    EXPECT_EQ(driver.load<Le64>(request.rx_address + kPortRxFrames * 8), 1u);
    EXPECT_EQ(driver.load<Le64>(request.rx_address + kPortRxBytes * 8), 60u);
    EXPECT_EQ(driver.load<Le64>(request.tx_address + kPortTxFrames * 8), 0u);
    request.flags = kPortMasks;
    ASSERT_EQ(driver.send(HwrmType::kPortQstats, request), HwrmError::kNone);
    EXPECT_EQ(driver.load<Le64>(request.tx_address), ~uint64_t{0});
    EXPECT_EQ(driver.send(HwrmType::kPortQstatsExt, request), HwrmError::kNone);
    EXPECT_EQ(driver.answer<PortStatisticsAnswer>().rx_size, 0) << "there are none";
    request.rx_address = uint64_t{0x10};
    EXPECT_EQ(driver.send(HwrmType::kPortQstats, request), HwrmError::kInvalidParameters);
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

TEST_F(BnxtStatistics, ThePortCountsFramesByTheirSizes) {
    const size_t sizes[] = {60, 61, 123, 124, 1514, 1515, 9212, 9213};
    for (const size_t size : sizes) deliver(std::vector<std::byte>(size));
    std::vector<std::byte> pause(60);
    pause[12] = std::byte{0x88};
    pause[13] = std::byte{0x08};
    deliver(pause);
    PortStatistics request{};
    request.rx_address = driver.allocate(kPortRxCounters * 8);
    request.tx_address = driver.allocate(kPortTxCounters * 8);
    ASSERT_EQ(driver.send(HwrmType::kPortQstats, request), HwrmError::kNone);
    const uint64_t expected[] = {2, 2, 1, 0, 0, 1, 0 /* tagged */, 1, 0, 1, 1};
    for (size_t i = 0; i < std::size(expected); ++i)
        EXPECT_EQ(driver.load<Le64>(request.rx_address + i * 8), expected[i]) << i;
    EXPECT_EQ(driver.load<Le64>(request.rx_address + kPortRxControl * 8), 1u);
    EXPECT_EQ(driver.load<Le64>(request.tx_address), 0u);
}

TEST(BnxtPortFrames, AFrameThatIsCutCountsAsItsPieces) {
    PortFrames frames;
    const std::vector<std::byte> frame(66 + 3 * 1448 + 10);
    frames.count_cut(frame, 66, 1448);
    EXPECT_EQ(frames.by_size[5], 3u) << "of 1518 bytes";
    EXPECT_EQ(frames.by_size[1], 1u) << "the last has 10 bytes";
    frames.count_cut(frame, 66, 0);
    EXPECT_EQ(frames.by_size[8], 1u) << "it is not cut";
    frames.count_cut(std::vector<std::byte>(66 + 1448), 66, 1448);
    EXPECT_EQ(frames.by_size[5], 4u);
}

TEST_F(BnxtStatistics, TheFunctionSaysHowWideItsCountersAre) {
    FunctionStatistics request{};
    EXPECT_EQ(driver.send(HwrmType::kFuncQstatsExt, request), HwrmError::kUnsupportedOption);
    request.flags = kFunctionMasks;
    ASSERT_EQ(driver.send(HwrmType::kFuncQstatsExt, request), HwrmError::kNone);
    EXPECT_EQ(driver.answer<FunctionCounters>().counters[21], ~uint64_t{0});
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
