// Tests of the DMA log: entries as the harness reads them, the ring's wrap, flows and SYNs.
#include <gtest/gtest.h>

#include "nic/physical_witness.hpp"
#include "nic/wire/dma_log.hpp"
#include "tests/fakes/fake_dma.hpp"
#include "tests/nic/wire/frames.hpp"

namespace zcrxlab::nic {
namespace {

Delivery delivery_of(uint32_t flow) {
    Delivery delivery;
    delivery.packet = 9;
    delivery.queue = 3;
    delivery.flow = flow;
    delivery.tcp_sequence = 5000;
    delivery.payload_offset = 66;
    delivery.fault = 2;
    return delivery;
}

uint32_t flow_of(DmaLog& log, const FrameShape& shape) {
    return log.flow_of(parse_headers(build_frame(shape).bytes));
}

TEST(DmaLog, EntriesSayWhatWasWritten) {
    DmaLog log(16);
    uint32_t flow = flow_of(log, {});
    Delivery delivery = delivery_of(flow);
    log.witness(1).wrote(DmaWitness::Kind::kHeader, 0x1000, 66, delivery, 0, 0);
    log.witness(1).wrote(DmaWitness::Kind::kPayload, 0x2000, 4096, delivery, 0, 0);
    log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x3000, 10, delivery, 4096, 0);
    log.witness(0).wrote(DmaWitness::Kind::kUnsplit, 0x4000, 2048, delivery, 0, 0);
    log.witness(0).wrote(DmaWitness::Kind::kUnsplit, 0x5000, 100, delivery, 1982, 0);
    delivery.flow = 0;
    log.witness(0).wrote(DmaWitness::Kind::kUnsplit, 0x6000, 60, delivery, 0, 0);
    DmaLog::Extract extract = log.extract(0, 100);
    ASSERT_EQ(extract.entries.size(), 6U);
    EXPECT_EQ(extract.first, 1U);
    EXPECT_EQ(extract.last, 6U);
    EXPECT_EQ(extract.newest, 6U);
    EXPECT_EQ(extract.lost, 0U);
    const DmaLogEntry& header = extract.entries[0];
    EXPECT_EQ(header.sequence, 1U);
    EXPECT_EQ(header.address, 0x1000U);
    EXPECT_EQ(header.packet, 9U);
    EXPECT_EQ(header.length, 66U);
    EXPECT_EQ(header.flow, flow);
    EXPECT_EQ(header.tcp_sequence, 0U);
    EXPECT_EQ(header.fault, 2U);
    EXPECT_EQ(header.queue, 3U);
    EXPECT_EQ(header.port, 1);
    EXPECT_EQ(header.kind, DmaKind::kHeader);
    EXPECT_EQ(extract.entries[1].tcp_sequence, 5000U);
    EXPECT_EQ(extract.entries[1].payload_offset, 0U);
    EXPECT_EQ(extract.entries[2].tcp_sequence, 9096U);
    EXPECT_EQ(extract.entries[2].port, 0);
    EXPECT_EQ(extract.entries[3].payload_offset, 66U);
    EXPECT_EQ(extract.entries[4].payload_offset, 0U);
    EXPECT_EQ(extract.entries[4].tcp_sequence, 6982U);
    EXPECT_EQ(extract.entries[5].tcp_sequence, 0U);
    ASSERT_EQ(extract.flows.size(), 1U);
    EXPECT_EQ(extract.flows[0].flow, flow);
}

// The guest's memory behind an IOMMU that knows one page.
class OnePage : public FakeDma {
  public:
    std::optional<uint64_t> physical(uint64_t address, uint64_t) const override {
        if (address / 4096 != 0xfffff) return std::nullopt;
        return 0x7000 + address % 4096;
    }
};

TEST(DmaLog, EntriesHavePhysicalAddresses) {
    DmaLog log(16);
    const OnePage dma;
    PhysicalWitness witness(log.witness(0), dma);
    witness.wrote(DmaWitness::Kind::kPayload, 0xfffff010, 100, delivery_of(0), 0, 0);
    witness.wrote(DmaWitness::Kind::kPayload, 0xffffe010, 100, delivery_of(0), 0, 0);
    const DmaLog::Extract extract = log.extract(0, 2);
    ASSERT_EQ(extract.entries.size(), 2U);
    EXPECT_EQ(extract.entries[0].address, 0x7010U);
    EXPECT_EQ(extract.entries[1].address, kAddressUnknown);
}

TEST(DmaLog, EntriesSayWhen) {
    uint64_t now = 0;
    DmaLog log(16, [&now] { return now; });
    const auto write = [&](uint32_t posted) {
        log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, {}, 0, posted);
        return log.extract(log.newest() - 1, 1).entries.at(0);
    };
    EXPECT_EQ(write(0).written, 1U) << "0 means that it is not known";
    now = 5'000'999;
    EXPECT_EQ(log.witness(1).microseconds(), 5000U);
    EXPECT_EQ(write(4711).written, 5000U);
    EXPECT_EQ(write(4711).posted, 4711U);
    now = ((uint64_t{1} << 32) + 7) * 1000;
    EXPECT_EQ(write(4711).written, 7U);
    DmaLog timeless(16);
    timeless.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, {}, 0, 0);
    EXPECT_EQ(timeless.extract(0, 1).entries.at(0).written, 0U);
}

TEST(DmaLog, ReadsOnInPiecesAndCountsWhatIsLost) {
    DmaLog log(8);
    Delivery delivery = delivery_of(0);
    for (int i = 0; i < 5; ++i)
        log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, delivery, 0, 0);
    DmaLog::Extract extract = log.extract(0, 3);
    EXPECT_EQ(extract.first, 1U);
    EXPECT_EQ(extract.last, 3U);
    EXPECT_EQ(extract.newest, 5U);
    extract = log.extract(extract.last, 3);
    EXPECT_EQ(extract.first, 4U);
    EXPECT_EQ(extract.last, 5U);
    extract = log.extract(5, 3);
    EXPECT_EQ(extract.first, 0U);
    EXPECT_EQ(extract.last, 5U);
    EXPECT_TRUE(extract.entries.empty());
    // A reader from the future gets nothing.
    EXPECT_TRUE(log.extract(99, 3).entries.empty());

    for (int i = 0; i < 20; ++i)
        log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, delivery, 0, 0);
    extract = log.extract(5, 100);  // 25 written, 18 .. 25 kept
    EXPECT_EQ(extract.lost, 12U);
    EXPECT_EQ(extract.first, 18U);
    EXPECT_EQ(extract.last, 25U);
    ASSERT_EQ(extract.entries.size(), 8U);
    for (uint64_t i = 0; i < 8; ++i) EXPECT_EQ(extract.entries[i].sequence, 18 + i);
    extract = log.extract(20, 100);
    EXPECT_EQ(extract.lost, 0U);
    EXPECT_EQ(extract.entries.size(), 5U);
    EXPECT_EQ(log.extract(0, 0).entries.size(), 0U);
}

TEST(DmaLog, ASynBeginsAFlow) {
    DmaLog log(64);
    FrameShape shape;
    shape.flags = 0x02;
    shape.sequence = 4000;
    uint32_t first = flow_of(log, shape);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(flow_of(log, shape), first);  // sent again
    FrameShape data = shape;
    data.flags = 0x10;
    data.sequence = 4001;
    EXPECT_EQ(flow_of(log, data), first);
    FrameShape back = data;
    std::swap(back.source, back.destination);
    std::swap(back.source_port, back.destination_port);
    uint32_t reverse = flow_of(log, back);
    EXPECT_NE(reverse, first);
    shape.sequence = 9000;  // the tuple is used again
    uint32_t second = flow_of(log, shape);
    EXPECT_NE(second, first);
    EXPECT_EQ(flow_of(log, data), second);
    back.protocol = 17;
    EXPECT_EQ(flow_of(log, back), 0U);

    for (uint32_t flow : {first, reverse, second})
        log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, delivery_of(flow), 0, 0);
    DmaLog::Extract extract = log.extract(0, 100);
    ASSERT_EQ(extract.flows.size(), 3U);
    EXPECT_EQ(extract.flows[0].initial_sequence, 4000U);
    EXPECT_EQ(extract.flows[0].has_syn, 1);
    EXPECT_EQ(extract.flows[0].family, 4);
    EXPECT_EQ(extract.flows[0].source_port, 40000);
    EXPECT_EQ(extract.flows[0].destination_port, 5201);
    EXPECT_EQ(extract.flows[0].source[3], 1);
    EXPECT_EQ(extract.flows[0].destination[3], 2);
    EXPECT_EQ(extract.flows[1].has_syn, 0);
    EXPECT_EQ(extract.flows[2].initial_sequence, 9000U);
}

TEST(DmaLog, ForgetsTheOldestFlow) {
    DmaLog log(64);
    FrameShape shape;
    uint32_t first = flow_of(log, shape);
    log.witness(0).wrote(DmaWitness::Kind::kPayload, 0x1000, 1, delivery_of(first), 0, 0);
    ParsedHeaders headers = parse_headers(build_frame(shape).bytes);
    for (uint32_t i = 1; i <= DmaLog::kMaximumFlows; ++i) {
        headers.source[0] = static_cast<uint8_t>(i >> 16);
        headers.source[1] = static_cast<uint8_t>(i >> 8);
        headers.source[2] = static_cast<uint8_t>(i);
        log.flow_of(headers);
    }
    DmaLog::Extract extract = log.extract(0, 100);
    EXPECT_EQ(extract.entries.size(), 1U);
    EXPECT_TRUE(extract.flows.empty());
    EXPECT_NE(flow_of(log, shape), first);
}

}  // namespace
}  // namespace zcrxlab::nic
