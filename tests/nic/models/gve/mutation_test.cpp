// Mutations of a gve NIC: each mistake is made as its sentence says, the witness is told the truth,
// and a device without one does nothing of the kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "nic/mutation.hpp"
#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

using Bytes = std::vector<std::byte>;

GveConfig with(Mutation mutation) {
    GveConfig config;
    config.mutation = mutation;
    return config;
}

Bytes payload_of(const Bytes& packet) {
    return {packet.begin() + kHeaders, packet.end()};
}

// Delivers a packet of `payload` bytes, and what the driver then sees.
std::vector<ReceivedPacket> pass(GveDriver& driver, size_t payload, uint32_t seed,
                                 Bytes* sent = nullptr) {
    const Bytes bytes = pattern(kHeaders + payload, seed);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    if (sent != nullptr) *sent = bytes;
    auto packets = driver.poll(driver.rx(0));
    driver.post_all(driver.rx(0));
    return packets;
}

// Every write into packet buffers that the witness was told of holds what the packet holds there.
void expect_honest(GveDriver& driver, const Bytes& packet) {
    for (const auto& write : driver.witness.writes) {
        if (write.kind != DmaWitness::Kind::kPayload) continue;
        const auto from = packet.begin() + kHeaders + write.stream_offset;
        EXPECT_EQ(driver.memory(write.address, write.length), Bytes(from, from + write.length));
    }
}

TEST(GveMutation, WithoutOneEveryPacketIsRight) {
    GveDriver driver;
    driver.bring_up();
    for (uint32_t i = 0; i < 4 * kMutationPeriod; ++i) {
        Bytes sent;
        const auto packets = pass(driver, 2 * 4096 + 7, i, &sent);
        ASSERT_EQ(packets.size(), 1U) << i;
        ASSERT_EQ(packets[0].payload, payload_of(sent)) << i;
    }
}

TEST(GveMutation, CompletionLostLosesOneAndItsBuffer) {
    GveDriver driver(with(Mutation::kCompletionLost));
    driver.bring_up();
    for (uint32_t i = 1; i < kMutationPeriod; ++i) ASSERT_EQ(pass(driver, 100, i).size(), 1U);
    const uint32_t before = driver.rx(0).in_flight;
    driver.witness.writes.clear();
    Bytes sent;
    EXPECT_TRUE(pass(driver, 100, 99, &sent).empty());
    EXPECT_EQ(driver.rx(0).in_flight, before);
    EXPECT_EQ(driver.witness.writes.size(), 2U);
    expect_honest(driver, sent);
    Bytes next;
    const auto packets = pass(driver, 100, 100, &next);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_EQ(packets[0].payload, payload_of(next));
}

TEST(GveMutation, LengthOffMovesAByteFromTheFirstBufferToTheLast) {
    GveDriver driver(with(Mutation::kLengthOff));
    driver.bring_up();
    for (uint32_t i = 1; i < kMutationPeriod; ++i) pass(driver, 5000, i);
    driver.witness.writes.clear();
    Bytes sent;
    const auto packets = pass(driver, 5000, 99, &sent);
    ASSERT_EQ(packets.size(), 1U);
    ASSERT_EQ(packets[0].completions.size(), 2U);
    EXPECT_EQ(packets[0].first().length_generation & RxCompletion::kLengthMask, 4095);
    EXPECT_EQ(packets[0].last().length_generation & RxCompletion::kLengthMask, 905);
    EXPECT_EQ(packets[0].payload.size(), 5000U);
    EXPECT_NE(packets[0].payload, payload_of(sent));
    expect_honest(driver, sent);
}

TEST(GveMutation, LengthOffNeverLeavesABuffer) {
    GveDriver driver(with(Mutation::kLengthOff));
    driver.bring_up();
    for (uint32_t i = 0; i < 2 * kMutationPeriod; ++i) {
        Bytes sent;
        const auto packets = pass(driver, 2 * 4096, i, &sent);
        ASSERT_EQ(packets.size(), 1U);
        EXPECT_EQ(packets[0].payload, payload_of(sent));
    }
}

TEST(GveMutation, BufferTwiceWritesOverThePacketBefore) {
    GveDriver driver(with(Mutation::kBufferTwice));
    driver.bring_up();
    for (uint32_t i = 1; i < kMutationPeriod; ++i) pass(driver, 100, i);
    const uint64_t before = driver.witness.writes.back().address;
    driver.witness.writes.clear();
    Bytes sent;
    const auto packets = pass(driver, 100, 99, &sent);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_NE(packets[0].payload, payload_of(sent));
    EXPECT_EQ(driver.witness.writes.back().address, before);
    expect_honest(driver, sent);
}

TEST(GveMutation, BufferKeptIsNeverCompleted) {
    GveDriver driver(with(Mutation::kBufferKept));
    driver.bring_up();
    const uint32_t before = driver.rx(0).in_flight;
    for (uint32_t i = 0; i < 3 * kMutationPeriod; ++i) {
        Bytes sent;
        const auto packets = pass(driver, 100, i, &sent);
        ASSERT_EQ(packets.size(), 1U);
        EXPECT_EQ(packets[0].payload, payload_of(sent));
    }
    // The driver takes it for one that the device still has.
    EXPECT_EQ(driver.rx(0).in_flight, before);
    driver.post(driver.rx(0), 0, true);
    const auto counters = driver.device->counters();
    const auto posted =
        std::ranges::find(counters, "rx0_posted", &decltype(counters)::value_type::first);
    ASSERT_NE(posted, counters.end());
    EXPECT_EQ(posted->second, before - 1);
}

TEST(GveMutation, DmaAfterDestroyWritesBuffersThatAreInUseAgain) {
    GveDriver driver(with(Mutation::kDmaAfterDestroy));
    driver.bring_up();
    const DriverRx old = driver.rx(1);
    ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kPassed);
    DriverRx& fresh = driver.create_rx(1, {});
    const auto deliver = [&](uint32_t seed) {
        const Bytes bytes = pattern(kHeaders + 100, seed);
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
        driver.poll(fresh);
        driver.post_all(fresh);
    };
    // Other memory: nothing of the old is touched.
    driver.post_all(fresh);
    driver.dma.log.clear();
    for (uint32_t i = 0; i < 40; ++i) deliver(i);
    EXPECT_FALSE(driver.dma.touched(old.buffers, uint64_t{old.size} * old.buffer_size));

    // The same memory: it is written again after it was filled.
    ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kPassed);
    const uint64_t buffers = fresh.buffers;
    DriverRx& third = driver.create_rx(1, {});
    third.buffers = buffers;
    driver.post_all(third);
    driver.witness.writes.clear();
    for (uint32_t i = 0; i < 20; ++i) deliver(i);
    uint32_t twice = 0;
    std::set<uint64_t> seen;
    for (const auto& write : driver.witness.writes)
        if (write.kind == DmaWitness::Kind::kPayload && !seen.insert(write.address).second) ++twice;
    EXPECT_EQ(twice, 12U);
}

TEST(GveMutation, StaleGenerationHidesThePacketsBehindTheWrap) {
    GveDriver driver(with(Mutation::kStaleGeneration));
    driver.bring_up();
    for (const uint16_t queue : {uint16_t{0}, uint16_t{1}}) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 100; ++i) {
            const Bytes bytes = pattern(kHeaders + 10, i);
            if (driver.device->deliver(tcp_delivery(bytes, queue)) != Accepted::kYes) break;
            seen += static_cast<uint32_t>(driver.poll(driver.rx(queue)).size());
            driver.post_all(driver.rx(queue));
        }
        EXPECT_EQ(seen, queue == 0 ? 100U : 64U);
    }
}

TEST(GveMutation, InterruptLostIsSilentAboutPayloadAlone) {
    GveDriver driver;
    MutatedDevice mutant(Mutation::kInterruptLost, *driver.device);
    driver.bring_up();
    driver.interrupts();
    const Bytes bytes = pattern(kHeaders + 10);
    ASSERT_EQ(mutant.deliver(tcp_delivery(bytes)), Accepted::kYes);
    mutant.end_of_burst();
    EXPECT_TRUE(driver.interrupts().empty());
    EXPECT_EQ(driver.counter("rx_lost_interrupts"), 1U);
    ASSERT_EQ(mutant.deliver(tcp_delivery(std::span(bytes).first(kHeaders))), Accepted::kYes);
    mutant.end_of_burst();
    EXPECT_EQ(driver.interrupts().size(), 1U);
}

TEST(GveMutation, HeaderInPayloadShiftsItBy4) {
    GveDriver driver(with(Mutation::kHeaderInPayload));
    driver.bring_up();
    for (uint32_t i = 1; i < kMutationPeriod; ++i) pass(driver, 100, i);
    driver.witness.writes.clear();
    Bytes sent;
    const auto packets = pass(driver, 100, 99, &sent);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_EQ(packets[0].header, Bytes(sent.begin(), sent.begin() + kHeaders));
    EXPECT_EQ(packets[0].payload, Bytes(sent.begin() + kHeaders - 4, sent.end() - 4));
    expect_honest(driver, sent);
    const auto& last = driver.witness.writes.back();
    EXPECT_EQ(last.stream_offset, 0U);
    EXPECT_EQ(last.length, 96U);
}

TEST(GveMutation, ChecksumGoodIsWhatItSays) {
    GveDriver driver;
    MutatedDevice mutant(Mutation::kChecksumGood, *driver.device);
    driver.bring_up();
    const Bytes bytes = pattern(kHeaders + 1);
    Delivery delivery = tcp_delivery(bytes);
    delivery.ip_checksum = delivery.l4_checksum = ChecksumState::kBad;
    ASSERT_EQ(mutant.deliver(delivery), Accepted::kYes);
    const auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_FALSE(packets[0].has(RxCompletion::kL4ChecksumError));
    EXPECT_FALSE(packets[0].has(RxCompletion::kIpChecksumError));
    EXPECT_TRUE(packets[0].has(RxCompletion::kL3L4Processed));
}

TEST(GveMutation, WrongQueueIsTheOneBefore) {
    GveDriver driver;
    MutatedDevice mutant(Mutation::kWrongQueue, *driver.device);
    driver.bring_up();
    const Bytes bytes = pattern(kHeaders + 1);
    ASSERT_EQ(mutant.deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
    EXPECT_TRUE(driver.poll(driver.rx(1)).empty());
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1U);
    ASSERT_EQ(mutant.deliver(tcp_delivery(bytes, 0)), Accepted::kYes);
    EXPECT_EQ(driver.poll(driver.rx(0)).size(), 1U);
}

}  // namespace
}  // namespace zcrxlab::nic::gve
