// Receive and aggregation rings: where a frame lies, what is completed, and what is dropped.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

class BnxtRx : public testing::Test {
  protected:
    void post(uint32_t count) {
        buffers = driver.post(queue.rx, count, kRx, kRxBuffer);
        more = driver.post(queue.aggregation, count, kAggregation, kAggregationBuffer);
    }
    Accepted deliver(std::span<const std::byte> bytes, uint16_t header_length = kHeaders) {
        Delivery delivery = tcp_delivery(bytes);
        delivery.header_length = header_length;
        const Accepted accepted = driver.device->deliver(delivery);
        driver.device->end_of_burst();
        return accepted;
    }
    std::vector<Entry> poll() { return driver.poll(queue.rx_completions); }
    template <typename T>
    static T as(const Entry& entry) {
        T out;
        std::memcpy(&out, &entry, sizeof(out));
        return out;
    }
    std::vector<std::byte> in(uint64_t buffer, size_t size) { return driver.memory(buffer, size); }
    static std::vector<std::byte> part(std::span<const std::byte> bytes, size_t at, size_t size) {
        const auto piece = bytes.subspan(at, size);
        return {piece.begin(), piece.end()};
    }

    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
    std::vector<uint64_t> buffers, more;
};

TEST_F(BnxtRx, TheWitnessIsNotToldOfWhatLiesBehindASegment) {
    post(4);
    const auto bytes = pattern(kHeaders + 4000 + 4200);
    Delivery delivery = tcp_delivery(bytes);
    delivery.trailing = 4200;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(in(more[1], 4096), part(bytes, kHeaders + 4096, 4096)) << "the frame is whole";
    ASSERT_EQ(driver.witness.writes.size(), 2u);
    EXPECT_EQ(driver.witness.writes[1].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.witness.writes[1].length, 4000u);
}

TEST_F(BnxtRx, TheWitnessIsToldOfHeadersInFrontOfPayload) {
    post(4);
    EXPECT_EQ(deliver(pattern(kHeaders + 100), kHeaders - 10), Accepted::kYes);
    ASSERT_EQ(driver.witness.writes.size(), 3u);
    EXPECT_EQ(driver.witness.writes[1].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(driver.witness.writes[1].address, more[0]);
    EXPECT_EQ(driver.witness.writes[1].length, 10u);
    EXPECT_EQ(driver.witness.writes[2].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.witness.writes[2].address, more[0] + 10);
    EXPECT_EQ(driver.witness.writes[2].length, 100u);
    EXPECT_EQ(driver.witness.writes[2].stream_offset, 0u);
}

TEST_F(BnxtRx, HeadersAndPayloadLieApart) {
    post(4);
    const auto bytes = pattern(kHeaders + 5000);
    EXPECT_EQ(deliver(bytes), Accepted::kYes);
    EXPECT_EQ(in(buffers[0], kHeaders), part(bytes, 0, kHeaders));
    EXPECT_EQ(in(more[0], 4096), part(bytes, kHeaders, 4096));
    EXPECT_EQ(in(more[1], 904), part(bytes, kHeaders + 4096, 904));
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 4u);
    const auto first = as<RxCompletion>(entries[0]);
    EXPECT_EQ(first.type_flags & 0x3f, RxCompletion::kType);
    EXPECT_EQ(first.type_flags & RxCompletion::kPlacementSplit, RxCompletion::kPlacementSplit);
    EXPECT_EQ(first.type_flags >> RxCompletion::kContentShift, static_cast<int>(RxContent::kTcp));
    EXPECT_NE(first.type_flags & RxCompletion::kRssValid, 0);
    EXPECT_EQ(first.rss_hash, 0x12345678u);
    EXPECT_EQ(first.length, kHeaders);
    EXPECT_EQ(first.opaque, 0x5000u);
    EXPECT_EQ(first.valid_count >> RxCompletion::kCountShift, 2);
    const auto details = as<RxDetails>(entries[1]);
    EXPECT_EQ(details.flags, RxDetails::kIpChecksumDone | RxDetails::kL4ChecksumDone);
    EXPECT_EQ(details.errors_valid, 1) << "no error, and valid";
    const auto second = as<RxAggregation>(entries[3]);
    EXPECT_EQ(second.type, RxAggregation::kType);
    EXPECT_EQ(second.length, 904);
    EXPECT_EQ(second.opaque, 0x5001u);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    ASSERT_EQ(driver.witness.writes.size(), 3u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(driver.witness.writes[2].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.witness.writes[2].address, more[1]);
    EXPECT_EQ(driver.witness.writes[2].stream_offset, 4096u);
    EXPECT_EQ(driver.counter("rx_split"), 1u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtRx, PayloadUpToTheThresholdStaysBehindItsHeaders) {
    post(4);
    ASSERT_EQ(driver.configure_placement(queue, 100), HwrmError::kNone);
    EXPECT_EQ(deliver(pattern(kHeaders + 100)), Accepted::kYes);
    EXPECT_EQ(as<RxCompletion>(poll()[0]).length, kHeaders + 100);
    EXPECT_EQ(deliver(pattern(kHeaders + 101)), Accepted::kYes);
    EXPECT_EQ(as<RxCompletion>(poll()[0]).length, kHeaders);
}

TEST_F(BnxtRx, AFrameThatIsNotSplitGoesOnInAggregationBuffers) {
    post(4);
    const auto bytes = pattern(kRxBuffer + 10);
    EXPECT_EQ(deliver(bytes, 0), Accepted::kYes);
    EXPECT_EQ(in(buffers[0], kRxBuffer), part(bytes, 0, kRxBuffer));
    EXPECT_EQ(in(more[0], 10), part(bytes, kRxBuffer, 10));
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(as<RxCompletion>(entries[0]).type_flags & RxCompletion::kPlacementJumbo,
              RxCompletion::kPlacementJumbo);
    EXPECT_EQ(driver.witness.writes[1].kind, DmaWitness::Kind::kUnsplit);
}

TEST_F(BnxtRx, HeadersThatAReceiveBufferCannotHoldAreNotSplitOff) {
    post(4);
    const auto bytes = pattern(kRxBuffer + 100);
    EXPECT_EQ(deliver(bytes, kRxBuffer + 1), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(as<RxCompletion>(entries[0]).length, kRxBuffer);
    EXPECT_EQ(driver.counter("rx_header_overflow"), 1u);
    EXPECT_EQ(driver.counter("rx_split"), 0u);
    driver.witness.writes.clear();
    Delivery delivery = tcp_delivery(bytes);
    delivery.header_length = delivery.payload_offset = kRxBuffer + 10;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    ASSERT_EQ(driver.witness.writes.size(), 3u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(driver.witness.writes[1].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(driver.witness.writes[1].length, 10u);
    EXPECT_EQ(driver.witness.writes[2].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.witness.writes[2].address, more[1] + 10);
    EXPECT_EQ(deliver(bytes, kRxBuffer), Accepted::kYes);
    EXPECT_EQ(driver.counter("rx_header_overflow"), 2u);
    EXPECT_EQ(driver.counter("rx_split"), 1u);
}

TEST_F(BnxtRx, ASmallFrameTakesNoAggregationBuffer) {
    post(1);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kYes);
    EXPECT_EQ(poll().size(), 2u);
    EXPECT_EQ(driver.counter("rx0_receive_posted"), 0u);
    EXPECT_EQ(driver.counter("rx0_posted"), 0u) << "no packet comes without a receive buffer";
    post(1);
    EXPECT_EQ(driver.counter("rx0_posted"), 2u);
}

TEST_F(BnxtRx, WithoutBuffersAFrameIsDroppedAndNoneIsUsed) {
    EXPECT_EQ(deliver(pattern(100)), Accepted::kNoBuffer);
    post(1);
    EXPECT_EQ(deliver(pattern(kHeaders + 5000)), Accepted::kNoBuffer);
    EXPECT_EQ(driver.counter("rx0_receive_posted"), 1u);
    EXPECT_EQ(driver.counter("rx0_posted"), 1u);
    EXPECT_TRUE(poll().empty());
    EXPECT_EQ(deliver(pattern(kHeaders + 4096)), Accepted::kYes);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtRx, ALostInterruptIsTheNextOnes) {
    post(4);
    const auto bytes = pattern(100);
    Delivery delivery = tcp_delivery(bytes);
    delivery.lose_interrupt = true;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    driver.device->end_of_burst();
    EXPECT_TRUE(driver.interrupts().empty());
    EXPECT_TRUE(driver.poll(queue.notifications).empty());
    EXPECT_EQ(deliver(bytes), Accepted::kYes);
    EXPECT_EQ(driver.interrupts().size(), 1u);
    EXPECT_EQ(poll().size(), 6u);
}

TEST_F(BnxtRx, ABadChecksumIsSaid) {
    post(4);
    const auto bytes = pattern(100);
    Delivery delivery = tcp_delivery(bytes);
    delivery.l4_checksum = ChecksumState::kBad;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(as<RxDetails>(poll()[1]).errors_valid, RxDetails::kL4ChecksumError | 1);
}

TEST_F(BnxtRx, ABufferThatFailsOnPurposeIsNotWrittenAndTheFrameSaysSo) {
    post(8);
    const auto bytes = pattern(kHeaders + 5000);
    for (size_t frame = 0; const uint16_t bad : {0, 1, 9}) {
        Delivery delivery = tcp_delivery(bytes);
        delivery.bad_buffer = bad;
        driver.witness.writes.clear();
        EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        const bool first = bad == 0;
        EXPECT_EQ(in(buffers[frame], kHeaders), part(bytes, 0, kHeaders));
        EXPECT_EQ(in(more[2 * frame], 4096) == part(bytes, kHeaders, 4096), !first);
        EXPECT_EQ(in(more[2 * frame + 1], 904) == part(bytes, kHeaders + 4096, 904), first);
        EXPECT_EQ(driver.witness.writes.size(), 2u);
        const auto entries = poll();
        ASSERT_EQ(entries.size(), 4u) << "the driver gets all of its buffers back";
        EXPECT_EQ(as<RxDetails>(entries[1]).errors_valid & RxDetails::kBufferError,
                  RxDetails::kBufferError);
        ++frame;
    }
    EXPECT_EQ(driver.counter("rx_buffer_errors"), 3u);
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtRx, ATagIsTakenOffWhereTheVnicSaysSo) {
    post(8);
    const auto bytes = pattern(kHeaders + 100);
    auto tagged = bytes;
    const std::array tag{std::byte{0x81}, std::byte{0}, std::byte{0x20}, std::byte{7}};
    tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
    Delivery delivery = tcp_delivery(tagged);
    for (uint16_t* offset : {&delivery.header_length, &delivery.l3_offset, &delivery.l4_offset,
                             &delivery.payload_offset})
        *offset += 4;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(in(buffers[0], kHeaders + 4), part(tagged, 0, kHeaders + 4)) << "it stays";
    auto entries = poll();
    EXPECT_EQ(as<RxDetails>(entries[1]).flags & RxDetails::kTagTaken, 0u);

    VnicConfigure strip{};
    strip.vnic = static_cast<uint16_t>(queue.vnic);
    strip.flags = kStripVlan;
    strip.mru = uint16_t{9018};
    ASSERT_EQ(driver.send(HwrmType::kVnicCfg, strip), HwrmError::kNone);
    driver.witness.writes.clear();
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(in(buffers[1], kHeaders), part(bytes, 0, kHeaders));
    EXPECT_EQ(in(more[1], 100), part(bytes, kHeaders, 100));
    entries = poll();
    EXPECT_EQ(as<RxCompletion>(entries[0]).length, kHeaders);
    EXPECT_EQ(as<RxDetails>(entries[1]).flags & RxDetails::kTagTaken, RxDetails::kTagTaken);
    EXPECT_EQ(as<RxDetails>(entries[1]).metadata, 0x81002007u);
    ASSERT_EQ(driver.witness.writes.size(), 2u);
    EXPECT_EQ(driver.witness.writes[1].stream_offset, 0u);
    EXPECT_EQ(driver.witness.writes[1].length, 100u);
    EXPECT_EQ(driver.counter("rx_tags"), 1u);

    EXPECT_EQ(deliver(bytes), Accepted::kYes);
    entries = poll();
    EXPECT_EQ(as<RxDetails>(entries[1]).metadata, 0u) << "another one's";

    delivery.foreign_tag = true;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    entries = poll();
    EXPECT_EQ(as<RxDetails>(entries[1]).metadata, 0x91002007u);
}

TEST_F(BnxtRx, HeadersThatFailAreNotWrittenAndTheFrameSaysSo) {
    post(1);
    const auto bytes = pattern(kHeaders + 100);
    Delivery delivery = tcp_delivery(bytes);
    delivery.bad_headers = true;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(in(more[0], 100), part(bytes, kHeaders, 100));
    ASSERT_EQ(driver.witness.writes.size(), 1u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kPayload);
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(as<RxDetails>(entries[1]).errors_valid & RxDetails::kBufferError,
              RxDetails::kBufferError);
    EXPECT_EQ(driver.counter("rx_buffer_errors"), 1u);
}

TEST_F(BnxtRx, AFrameThatIsOvertakenIsCompletedBehindTheNext) {
    post(8);
    const auto bytes = pattern(kHeaders + 100);
    Delivery delivery = tcp_delivery(bytes);
    delivery.rest = Rest::kOvertaken;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(in(more[0], 100), part(bytes, kHeaders, 100));
    EXPECT_TRUE(poll().empty());
    EXPECT_EQ(deliver(bytes), Accepted::kYes);
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 6u);
    EXPECT_EQ(as<RxCompletion>(entries[0]).opaque, 0x5001u);
    EXPECT_EQ(as<RxCompletion>(entries[3]).opaque, 0x5000u);
    EXPECT_EQ(as<RxAggregation>(entries[5]).opaque, 0x5000u);
    EXPECT_EQ(driver.counter("rx_overtaken"), 1u);
    EXPECT_EQ(deliver(bytes), Accepted::kYes);
    EXPECT_EQ(poll().size(), 3u) << "once";
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    EXPECT_EQ(poll().size(), 6u) << "the frame behind one is not overtaken itself";
}

TEST_F(BnxtRx, ADescriptorOfAnotherRingIsToldOf) {
    buffers = driver.post(queue.rx, 1, kAggregation, kRxBuffer);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kBadAddress);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDescriptor);
    const auto entries = poll();
    ASSERT_EQ(entries.size(), 2u) << "the driver gets its buffer back";
    EXPECT_EQ(as<RxDetails>(entries[1]).errors_valid & RxDetails::kBufferError,
              RxDetails::kBufferError);
}

TEST_F(BnxtRx, ABufferIsNeverWrittenBehindItsEnd) {
    driver.post(queue.rx, 1, kRx, 59);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kBadAddress);
    EXPECT_EQ(driver.forbidden.size(), 1u);
    EXPECT_TRUE(driver.witness.writes.empty());
}

TEST_F(BnxtRx, ABufferThatIsNoMemoryIsToldOf) {
    driver.put(queue.rx, BufferDescriptor{kRx, kRxBuffer, uint32_t{0}, uint64_t{0x10}});
    driver.ring(DoorbellType::kReceive, queue.rx.number, queue.rx.next);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kBadAddress);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
    EXPECT_EQ(driver.forbidden[0].address, 0x10u);
}

TEST_F(BnxtRx, PostedBuffersCannotBeTakenBack) {
    post(4);
    driver.ring(DoorbellType::kReceive, queue.rx.number, 2);
    driver.ring(DoorbellType::kReceive, queue.aggregation.number, queue.aggregation.size);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    for (const Forbidden& one : driver.forbidden) EXPECT_EQ(one.kind, ForbiddenKind::kDoorbell);
    // The same twice is nothing, and the kernel does it.
    driver.ring(DoorbellType::kReceive, queue.rx.number, queue.rx.next);
    EXPECT_EQ(driver.forbidden.size(), 2u);
}

TEST_F(BnxtRx, NoBufferOfARingThatIsFreedIsWritten) {
    post(4);
    const uint64_t before = driver.dma.writes;
    ASSERT_EQ(driver.free_ring(RingType::kAggregation, queue.aggregation.number), HwrmError::kNone);
    EXPECT_EQ(deliver(pattern(kHeaders + 1000)), Accepted::kTooLong);
    ASSERT_EQ(driver.free_ring(RingType::kRx, queue.rx.number), HwrmError::kNone);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kQueueOff);
    EXPECT_TRUE(driver.witness.writes.empty());
    EXPECT_LE(driver.dma.writes - before, 10u) << "requests and answers only";
    // A queue is restarted at the same place, and its completion ring goes on.
    RingAllocate ring{};
    ring.buffer_size = kRxBuffer;
    ASSERT_EQ(driver.allocate_ring(RingType::kRx, queue.rx, 16, ring), HwrmError::kNone);
    driver.post(queue.rx, 2, kRx, kRxBuffer);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kYes);
    EXPECT_EQ(poll().size(), 2u);
}

TEST_F(BnxtRx, AFullCompletionRingIsForbidden) {
    for (int i = 0; i < 31; ++i) {
        driver.post(queue.rx, 1, kRx, kRxBuffer);
        EXPECT_EQ(deliver(pattern(60), 0), Accepted::kYes) << i;
    }
    driver.post(queue.rx, 1, kRx, kRxBuffer);
    EXPECT_EQ(deliver(pattern(60), 0), Accepted::kNoBuffer);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCompletion);
}

TEST_F(BnxtRx, AQueueThatTheVnicHasNotIsOff) {
    driver.bring_up(1);
    const auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kQueueOff);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 2)), Accepted::kQueueOff);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 999)), Accepted::kQueueOff);
    EXPECT_EQ(driver.counter("rx_queue_off"), 3u);
}

TEST_F(BnxtRx, WithoutLinkOrBusMasteringNothingIsReceived) {
    post(1);
    driver.device->set_link(false);
    EXPECT_EQ(deliver(pattern(100)), Accepted::kNotRunning);
    driver.device->set_link(true);
    driver.device->set_bus_master(false);
    EXPECT_EQ(deliver(pattern(100)), Accepted::kNotRunning);
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
