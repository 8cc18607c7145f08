// Joined segments (TPA): what is completed of them, what is left unfinished, and what is counted.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

class BnxtJoining : public testing::Test {
  protected:
    BnxtJoining() { EXPECT_EQ(driver.join_segments(queue), HwrmError::kNone); }
    // For as many packets, each of which takes two descriptors of the receive ring.
    void post(uint32_t count) {
        buffers = driver.post(queue.rx, 2 * count, kRx, kRxBuffer);
        more = driver.post(queue.aggregation, count, kAggregation, kAggregationBuffer);
    }
    Accepted deliver(const Delivery& delivery) {
        const Accepted accepted = driver.device->deliver(delivery);
        driver.device->end_of_burst();
        return accepted;
    }
    // One of a single segment whose end is to come with the next packet.
    Accepted leave_unfinished(std::span<const std::byte> bytes) {
        Delivery delivery = joined_delivery(bytes, 0);
        delivery.rest = Rest::kWithNext;
        return deliver(delivery);
    }
    std::vector<Entry> poll() {
        auto entries = driver.poll(queue.rx_completions);
        driver.ring(DoorbellType::kCompletions, queue.rx_completions.number,
                    queue.rx_completions.next);
        return entries;
    }
    static uint16_t type_of(const Entry& entry) { return entry.type_flags & 0x3f; }
    static std::vector<uint16_t> types_of(const std::vector<Entry>& entries) {
        std::vector<uint16_t> types;
        // The second half of what begins and ends has no type.
        for (size_t i = 0; i < entries.size(); ++i) {
            types.push_back(type_of(entries[i]));
            if (types.back() != TpaAggregation::kType) ++i;
        }
        return types;
    }
    template <typename T>
    static T as(const Entry& entry) {
        T out;
        std::memcpy(&out, &entry, sizeof(out));
        return out;
    }

    static constexpr uint16_t kStart = TpaStart::kType, kBuffer = TpaAggregation::kType,
                              kEnd = TpaEnd::kType, kPlain = RxCompletion::kType;
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    std::vector<uint64_t> buffers, more;
};

TEST_F(BnxtJoining, APacketOfSegmentsBeginsFillsBuffersAndEnds) {
    post(4);
    const auto bytes = pattern(kHeaders + 5000);
    ASSERT_EQ(deliver(joined_delivery(bytes, 1448)), Accepted::kYes);
    EXPECT_EQ(driver.memory(more[1], 904),
              std::vector<std::byte>(bytes.begin() + kHeaders + 4096, bytes.end()));
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kBuffer, kEnd}));
    const auto start = as<TpaStart>(entries[0]);
    EXPECT_EQ(start.type_flags, TpaStart::kType | RxCompletion::kPlacementSplit |
                                    TpaStart::kPlacementGro | RxCompletion::kRssValid |
                                    2 << RxCompletion::kContentShift);
    EXPECT_EQ(start.length, kHeaders);
    EXPECT_EQ(start.opaque, 0x5000u);
    EXPECT_EQ(start.rss_hash, 0x12345678u);
    const auto details = as<TpaStartDetails>(entries[1]);
    EXPECT_EQ(details.flags, RxDetails::kIpChecksumDone | RxDetails::kL4ChecksumDone);
    EXPECT_EQ(details.headers & 0x1ff, 14u) << "the outer IP header";
    EXPECT_EQ(details.headers >> 9 & 0x1ff, 0u) << "no tunnel";
    EXPECT_EQ(details.headers >> 18 & 0x1ff, 14u);
    EXPECT_EQ(details.headers >> 27, 0u) << "32 bytes of TCP header";
    EXPECT_EQ(as<TpaAggregation>(entries[2]).length, 4096);
    EXPECT_EQ(as<TpaAggregation>(entries[3]).length, 904);
    EXPECT_EQ(as<TpaAggregation>(entries[3]).opaque, 0x5001u);
    const auto end = as<TpaEnd>(entries[4]);
    EXPECT_EQ(end.segments, 4);
    const auto end_details = as<TpaEndDetails>(entries[5]);
    EXPECT_EQ(end_details.buffers, 2);
    EXPECT_EQ(end_details.payload_offset, kHeaders);
    EXPECT_EQ(end_details.segment_length, 1448u);
    EXPECT_EQ(end_details.errors_valid, 1) << "no error, and valid";
    EXPECT_EQ(driver.counter("rx_rsc"), 1u);
    ASSERT_EQ(driver.witness.writes.size(), 3u);
    EXPECT_EQ(driver.witness.writes[2].address, more[1]);
    EXPECT_EQ(driver.witness.writes[2].stream_offset, 4096u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtJoining, PacketsHaveNumbersInTurn) {
    post(kAggregateNumbers + 1);
    const auto bytes = pattern(kHeaders + 1000);
    for (uint16_t packet = 0; packet <= kAggregateNumbers; ++packet) {
        const uint16_t number = packet % kAggregateNumbers;
        ASSERT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kYes);
        const auto entries = poll();
        ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kEnd}));
        EXPECT_EQ(as<TpaStart>(entries[0]).opaque, 0x5000u + 2 * packet);
        EXPECT_EQ(as<TpaStart>(entries[0]).aggregate, number);
        EXPECT_EQ(as<TpaAggregation>(entries[2]).aggregate, number);
        EXPECT_EQ(as<TpaEnd>(entries[3]).aggregate, number);
        EXPECT_EQ(as<TpaEnd>(entries[3]).segments, 1);
        EXPECT_EQ(as<TpaEndDetails>(entries[4]).segment_length, 1000u);
    }
    EXPECT_EQ(driver.counter("rx_rsc"), 0u);
    driver.post(queue.rx, 1, kRx, kRxBuffer);
    driver.post(queue.aggregation, 1, kAggregation, kAggregationBuffer);
    EXPECT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kNoBuffer) << "one is too few";
}

TEST_F(BnxtJoining, WithoutSplitAPacketGoesOnInAggregationBuffers) {
    post(2);
    const auto bytes = pattern(kHeaders + 2000);
    Delivery delivery = joined_delivery(bytes, 1448);
    delivery.header_length = 0;
    ASSERT_EQ(deliver(delivery), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kEnd}));
    EXPECT_EQ(as<TpaStart>(entries[0]).length, kRxBuffer);
    EXPECT_EQ(as<TpaStart>(entries[0]).type_flags & 7 << 7,
              RxCompletion::kPlacementJumbo | TpaStart::kPlacementGro);
    EXPECT_EQ(as<TpaAggregation>(entries[2]).length, kHeaders + 2000 - kRxBuffer);
}

TEST_F(BnxtJoining, WhatCannotBeJoinedIsCompletedInOneStep) {
    post(2);
    const auto bytes = pattern(kHeaders + 1000);
    ASSERT_EQ(deliver(tcp_delivery(bytes)), Accepted::kYes);
    EXPECT_EQ(type_of(poll()[0]), kPlain);
    TpaConfigure off{};
    off.vnic = static_cast<uint16_t>(queue.vnic);
    ASSERT_EQ(driver.send(HwrmType::kVnicTpaCfg, off), HwrmError::kNone);
    ASSERT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kYes);
    EXPECT_EQ(type_of(poll()[0]), kPlain);
}

TEST_F(BnxtJoining, ABufferThatFailsEndsItsPacketWithAnError) {
    driver.post(queue.rx, 2, kRx, kRxBuffer);
    driver.put(queue.aggregation,
               BufferDescriptor{kAggregation, kAggregationBuffer, 0u, uint64_t{0x10}});
    driver.ring(DoorbellType::kReceive, queue.aggregation.number, queue.aggregation.next);
    EXPECT_EQ(deliver(joined_delivery(pattern(kHeaders + 1000), 0)), Accepted::kBadAddress);
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kEnd}));
    EXPECT_EQ(as<TpaEndDetails>(entries[4]).errors_valid, TpaEndDetails::kBufferError | 1);
}

TEST_F(BnxtJoining, ABufferThatFailsOnPurposeEndsItsPacketWithAnError) {
    post(2);
    const auto bytes = pattern(kHeaders + 5000);
    Delivery delivery = joined_delivery(bytes, 1448);
    delivery.bad_buffer = 1;
    ASSERT_EQ(deliver(delivery), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kBuffer, kEnd}));
    EXPECT_EQ(as<TpaEndDetails>(entries[5]).errors_valid, TpaEndDetails::kBufferError | 1);
    EXPECT_EQ(driver.witness.writes.size(), 2u);
    EXPECT_EQ(driver.counter("rx_buffer_errors"), 1u);
}

TEST_F(BnxtJoining, HeadersThatFailBeginTheirPacketWithAnError) {
    post(2);
    const auto bytes = pattern(kHeaders + 1000);
    Delivery delivery = joined_delivery(bytes, 0);
    delivery.bad_headers = true;
    ASSERT_EQ(deliver(delivery), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kEnd}));
    EXPECT_EQ(as<TpaStart>(entries[0]).type_flags & TpaStart::kError, TpaStart::kError);
    EXPECT_EQ(as<TpaStartDetails>(entries[1]).errors_valid, TpaStartDetails::kBufferError | 1);
    EXPECT_EQ(as<TpaEndDetails>(entries[4]).errors_valid, 1);
    ASSERT_EQ(driver.witness.writes.size(), 1u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.counter("rx_buffer_errors"), 1u);
}

TEST_F(BnxtJoining, AnUnfinishedPacketEndsInFrontOfTheNext) {
    post(4);
    const auto bytes = pattern(kHeaders + 1000);
    ASSERT_EQ(leave_unfinished(bytes), Accepted::kYes);
    EXPECT_EQ(types_of(poll()), (std::vector{kStart, kBuffer}));
    EXPECT_EQ(driver.interrupts().size(), 1u) << "the driver may look at what has begun";
    EXPECT_EQ(driver.counter("rx_unfinished"), 1u);
    ASSERT_EQ(deliver(tcp_delivery(bytes)), Accepted::kYes);
    const auto entries = poll();
    EXPECT_EQ(types_of(entries)[0], kEnd);
    EXPECT_EQ(as<TpaEnd>(entries[0]).aggregate, 0);
    EXPECT_EQ(type_of(entries[2]), kPlain);
}

TEST_F(BnxtJoining, AnUnfinishedPacketEndsAmidOneThatIsJoined) {
    post(4);
    const auto bytes = pattern(kHeaders + 1000);
    ASSERT_EQ(leave_unfinished(bytes), Accepted::kYes);
    EXPECT_EQ(types_of(poll()), (std::vector{kStart, kBuffer}));
    ASSERT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(types_of(entries), (std::vector{kStart, kEnd, kBuffer, kEnd}));
    EXPECT_EQ(as<TpaStart>(entries[0]).aggregate, 1);
    EXPECT_EQ(as<TpaEnd>(entries[2]).aggregate, 0);
    EXPECT_EQ(as<TpaAggregation>(entries[4]).aggregate, 1);
    EXPECT_EQ(as<TpaEnd>(entries[5]).aggregate, 1);
}

TEST_F(BnxtJoining, NothingIsLeftOfAnUnfinishedPacketWhenItsRingIsFreed) {
    post(4);
    const auto bytes = pattern(kHeaders + 1000);
    ASSERT_EQ(leave_unfinished(bytes), Accepted::kYes);
    EXPECT_EQ(poll().size(), 3u);
    ASSERT_EQ(driver.free_ring(RingType::kRx, queue.rx.number), HwrmError::kNone);
    driver.witness.writes.clear();
    RingAllocate ring{};
    ring.buffer_size = kRxBuffer;
    ASSERT_EQ(driver.allocate_ring(RingType::kRx, queue.rx, 16, ring), HwrmError::kNone);
    driver.post(queue.rx, 2, kRx, kRxBuffer);
    ASSERT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kYes);
    const auto entries = poll();
    EXPECT_EQ(types_of(entries), (std::vector{kStart, kBuffer, kEnd}));
    EXPECT_EQ(driver.witness.writes.size(), 2u);
    for (const auto& write : driver.witness.writes) EXPECT_NE(write.address, more[0]);
}

TEST_F(BnxtJoining, AnEndThatFindsNoRoomIsForbidden) {
    const auto bytes = pattern(kHeaders + 1000);
    for (int i = 0; i < 12; ++i) {
        post(1);
        EXPECT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kYes) << i;
    }
    post(1);
    EXPECT_EQ(deliver(joined_delivery(bytes, 0)), Accepted::kNoBuffer);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCompletion);
}

TEST_F(BnxtJoining, TheMruIsThatOfASegment) {
    post(4);
    VnicUpdate update{};
    update.vnic = queue.vnic;
    update.enables = kUpdateMru;
    update.mru = uint16_t{1518};
    ASSERT_EQ(driver.send(HwrmType::kVnicUpdate, update), HwrmError::kNone);
    const auto bytes = pattern(kHeaders + 5000);
    EXPECT_EQ(deliver(joined_delivery(bytes, 1448)), Accepted::kYes);
    EXPECT_EQ(deliver(joined_delivery(bytes, 1460)), Accepted::kQueueOff);
    EXPECT_EQ(driver.counter("rx_above_mru"), 1u);
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
