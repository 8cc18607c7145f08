// Receive: buffers, split, completions, generation bits, the witness, and what is dropped.
#include <gtest/gtest.h>

#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

std::vector<std::byte> slice(const std::vector<std::byte>& bytes, size_t begin, size_t end) {
    return {bytes.begin() + static_cast<ptrdiff_t>(begin),
            bytes.begin() + static_cast<ptrdiff_t>(end)};
}

TEST(GveRx, SplitPacketLandsInHeaderAndPacketBuffer) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 1448);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    ASSERT_EQ(packets[0].completions.size(), 1u);
    EXPECT_TRUE(packets[0].split());
    EXPECT_EQ(packets[0].header_length(), kHeaders);
    EXPECT_EQ(packets[0].header, slice(bytes, 0, kHeaders));
    EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
    EXPECT_TRUE(packets[0].has(RxCompletion::kL3L4Processed));
    EXPECT_EQ(packets[0].packet_type(), packet_type(kL3Ipv4, kL4Tcp));
    EXPECT_EQ(packets[0].first().hash, 0x12345678u);
}

TEST(GveRx, OnlyTheFirstCompletionIsSplitAndOnlyTheLastEnds) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 2 * 4096 + 100);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    const auto& completions = packets[0].completions;
    ASSERT_EQ(completions.size(), 3u);
    EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
    uint16_t lengths[] = {4096, 4096, 100};
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(completions[i].length_generation & RxCompletion::kLengthMask, lengths[i]);
        EXPECT_EQ((completions[i].header & RxCompletion::kSplitHeader) != 0, i == 0);
        EXPECT_EQ((completions[i].header & RxCompletion::kHeaderLengthMask) != 0, i == 0);
        EXPECT_EQ((completions[i].status & RxCompletion::kEndOfPacket) != 0, i == 2);
    }
}

TEST(GveRx, AnEmptyBufferEndsAPacketThatIsToHaveOne) {
    GveDriver driver;
    driver.bring_up();
    for (const size_t payload : {size_t{1}, size_t{4096}, size_t{5000}}) {
        auto bytes = pattern(kHeaders + payload);
        Delivery delivery = tcp_delivery(bytes);
        delivery.empty_buffer = true;
        ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        auto packets = driver.poll(driver.rx(0));
        ASSERT_EQ(packets.size(), 1u);
        EXPECT_EQ(packets[0].completions.size(), 2 + payload / 4097);
        EXPECT_EQ(packets[0].last().length_generation & RxCompletion::kLengthMask, 0);
        EXPECT_TRUE(packets[0].has(RxCompletion::kEndOfPacket));
        EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
    }
    EXPECT_EQ(driver.counter("rx_empty_buffers"), 3u);
}

TEST(GveRx, ABufferThatFailsIsNotWrittenAndHasAnError) {
    for (const uint16_t bad : {uint16_t{0}, uint16_t{1}, uint16_t{2}, uint16_t{9}}) {
        GveDriver driver;
        driver.bring_up();
        auto bytes = pattern(kHeaders + 2 * 4096 + 100);
        Delivery delivery = tcp_delivery(bytes);
        delivery.bad_buffer = bad;
        ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        auto packets = driver.poll(driver.rx(0));
        ASSERT_EQ(packets.size(), 1u);
        ASSERT_EQ(packets[0].completions.size(), 3u);
        for (uint32_t i = 0; i < 3; ++i)
            EXPECT_EQ((packets[0].completions[i].flags & RxCompletion::kRxError) != 0,
                      i == std::min<uint32_t>(bad, 2));
        // The headers, and two buffers.
        EXPECT_EQ(driver.witness.writes.size(), 3u);
        EXPECT_EQ(driver.counter("rx_buffer_errors"), 1u);
    }
}

TEST(GveRx, HeadersThatFailAreNotWrittenAndTheFirstBufferHasAnError) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 4096 + 100);
    Delivery delivery = tcp_delivery(bytes);
    delivery.bad_headers = true;
    ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    ASSERT_EQ(packets[0].completions.size(), 2u);
    EXPECT_EQ(packets[0].completions[0].flags, RxCompletion::kRxError);
    EXPECT_EQ(packets[0].completions[1].flags, 0);
    ASSERT_EQ(driver.witness.writes.size(), 2u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.counter("rx_buffer_errors"), 1u);
}

TEST(GveRx, WhatIsBehindASegmentIsWrittenAndNoPayload) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 4000 + 4200);
    Delivery delivery = tcp_delivery(bytes);
    delivery.trailing = 4200;
    ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
    ASSERT_EQ(driver.witness.writes.size(), 2u);
    EXPECT_EQ(driver.witness.writes[1].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(driver.witness.writes[1].length, 4000u);
}

TEST(GveRx, BuffersOf2048AreFilledInTurn) {
    GveDriver driver;
    driver.bring_up({.buffer_size = 2048});
    auto bytes = pattern(kHeaders + 2048 * 3);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_EQ(packets[0].completions.size(), 3u);
    EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
}

TEST(GveRx, PureAckIsSplitAndUsesUpABuffer) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders);
    uint32_t before = driver.rx(0).in_flight;
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_TRUE(packets[0].split());
    EXPECT_EQ(packets[0].header, bytes);
    EXPECT_TRUE(packets[0].payload.empty());
    EXPECT_EQ(driver.rx(0).in_flight, before - 1);
    EXPECT_FALSE(driver.dma.touched(driver.rx(0).buffers, 4096));
}

TEST(GveRx, UnsplitPacketGoesToThePacketBufferWhole) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(1000);
    Delivery delivery = tcp_delivery(bytes);
    delivery.header_length = 0;
    ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_FALSE(packets[0].split());
    EXPECT_EQ(packets[0].payload, bytes);
    ASSERT_EQ(driver.witness.writes.size(), 1u);
    EXPECT_EQ(driver.witness.writes[0].kind, DmaWitness::Kind::kUnsplit);
}

TEST(GveRx, QueueWithoutHeaderBuffersNeverSplits) {
    GveDriver driver;
    driver.bring_up({.header_split = false});
    auto bytes = pattern(kHeaders + 10);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_FALSE(packets[0].split());
    EXPECT_EQ(packets[0].payload, bytes);
    EXPECT_FALSE(driver.wire.settings.header_split);
}

TEST(GveRx, HeadersLongerThanTheirBufferAreNotSplit) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(500);
    Delivery delivery = tcp_delivery(bytes);
    delivery.header_length = delivery.payload_offset = 134;
    ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_FALSE(packets[0].split());
    EXPECT_TRUE(packets[0].has(RxCompletion::kHeaderOverflow));
    EXPECT_EQ(packets[0].payload, bytes);
    EXPECT_EQ(driver.counter("rx_header_overflow"), 1u);
    EXPECT_FALSE(driver.dma.touched(driver.rx(0).headers, 64 * 128));
}

TEST(GveRx, GenerationTurnsAtEveryWrapOfTheRing) {
    GveDriver driver;
    driver.bring_up();
    DriverRx& queue = driver.rx(0);
    uint32_t received = 0;
    // Several times round; packets of 1 to 3 buffers, so that some cross the ring's end.
    for (uint32_t i = 0; i < 400; ++i) {
        auto bytes = pattern(kHeaders + 1 + (i % 3) * 4096, i);
        ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes) << i;
        auto packets = driver.poll(queue);
        ASSERT_EQ(packets.size(), 1u) << i;
        ASSERT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size())) << i;
        received += static_cast<uint32_t>(packets[0].completions.size());
        driver.post_all(queue);
    }
    EXPECT_GT(received, 64u * 10);
}

TEST(GveRx, APacketIsNeverSeenBeforeItIsWhole) {
    GveDriver driver;
    driver.bring_up();
    DriverRx& queue = driver.rx(0);
    // Twice round the ring, three buffers each, looking after every single write.
    for (uint32_t i = 0; i < 42; ++i) {
        auto bytes = pattern(kHeaders + 2 * 4096 + 7, i);
        std::vector<ReceivedPacket> seen;
        driver.dma.after_write = [&] {
            auto now = driver.poll(queue);
            seen.insert(seen.end(), now.begin(), now.end());
        };
        ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
        driver.dma.after_write = nullptr;
        ASSERT_EQ(seen.size(), 1u) << i;
        EXPECT_EQ(seen[0].payload, slice(bytes, kHeaders, bytes.size())) << i;
        EXPECT_EQ(seen[0].header, slice(bytes, 0, kHeaders)) << i;
        driver.post_all(queue);
    }
}

TEST(GveRx, BuffersAppearInStepsOf32) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    auto bytes = pattern(kHeaders + 1);
    driver.post(queue, 31);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNoBuffer);
    driver.post(queue, 1);
    for (int i = 0; i < 32; ++i)
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes) << i;
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNoBuffer);
    EXPECT_EQ(driver.poll(queue).size(), 32u);
}

TEST(GveRx, TooFewBuffersDropTheWholePacket) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    driver.post(queue, 2, true);
    driver.dma.log.clear();
    auto bytes = pattern(kHeaders + 3 * 4096);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNoBuffer);
    EXPECT_TRUE(driver.dma.log.empty());
    EXPECT_TRUE(driver.witness.writes.empty());
    EXPECT_EQ(driver.counter("rx0_no_buffer"), 1u);
    auto small = pattern(kHeaders + 4096);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(small)), Accepted::kYes);
}

TEST(GveRx, NoBufferFaultDropsWithBuffersPosted) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 5);
    Delivery delivery = tcp_delivery(bytes);
    delivery.no_buffer = true;
    EXPECT_EQ(driver.device->deliver(delivery), Accepted::kNoBuffer);
    EXPECT_TRUE(driver.poll(driver.rx(0)).empty());
}

TEST(GveRx, RscPacketCarriesItsSegmentSize) {
    GveDriver driver;
    driver.bring_up({.rsc = true});
    EXPECT_TRUE(driver.wire.settings.rsc);
    auto bytes = pattern(kHeaders + 40 * 1448);
    Delivery delivery = tcp_delivery(bytes);
    delivery.rsc_mss = 1448;
    ASSERT_EQ(driver.device->deliver(delivery), Accepted::kYes);
    auto packets = driver.poll(driver.rx(0));
    ASSERT_EQ(packets.size(), 1u);
    EXPECT_EQ(packets[0].payload, slice(bytes, kHeaders, bytes.size()));
    EXPECT_NE(packets[0].last().header & RxCompletion::kRsc, 0);
    EXPECT_EQ(packets[0].last().rsc_segment_length, 1448);
}

TEST(GveRx, RscOfThePortNeedsItOnEveryQueue) {
    GveDriver driver;
    driver.bring_up({.queues = 2, .rsc = true});
    EXPECT_TRUE(driver.wire.settings.rsc);
    ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kPassed);
    driver.create_rx(1, {.rsc = false});
    EXPECT_FALSE(driver.wire.settings.rsc);
}

TEST(GveRx, ChecksumVerdicts) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 1);
    auto status = [&](ChecksumState ip, ChecksumState l4) {
        Delivery delivery = tcp_delivery(bytes);
        delivery.ip_checksum = ip;
        delivery.l4_checksum = l4;
        EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        return driver.poll(driver.rx(0)).at(0).last().status;
    };
    constexpr uint8_t kErrors = RxCompletion::kIpChecksumError | RxCompletion::kL4ChecksumError;
    using enum ChecksumState;
    EXPECT_EQ(status(kGood, kGood) & (kErrors | RxCompletion::kL3L4Processed),
              RxCompletion::kL3L4Processed);
    EXPECT_EQ(status(kGood, kBad) & kErrors, RxCompletion::kL4ChecksumError);
    EXPECT_EQ(status(kBad, kGood) & kErrors, RxCompletion::kIpChecksumError);
    EXPECT_EQ(status(kGood, kUnknown) & RxCompletion::kL3L4Processed, 0);
    EXPECT_EQ(driver.counter("rx_bad_checksum"), 2u);
}

TEST(GveRx, PacketTypesOfOtherPackets) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(80);
    auto type = [&](L3 l3, L4 l4) {
        Delivery delivery = tcp_delivery(bytes);
        delivery.l3 = l3;
        delivery.l4 = l4;
        EXPECT_EQ(driver.device->deliver(delivery), Accepted::kYes);
        return driver.poll(driver.rx(0)).at(0).packet_type();
    };
    EXPECT_EQ(type(L3::kIpv6, L4::kTcp), packet_type(kL3Ipv6, kL4Tcp));
    EXPECT_EQ(type(L3::kIpv6, L4::kUdp), packet_type(kL3Ipv6, kL4Udp));
    EXPECT_EQ(type(L3::kIpv4, L4::kIcmp), packet_type(kL3Ipv4, kL4Unknown));
    EXPECT_EQ(type(L3::kIpv4, L4::kFragment), packet_type(kL3Ipv4, kL4Unknown));
    EXPECT_EQ(type(L3::kOther, L4::kOther), packet_type(kL3Unknown, kL4Unknown));
}

TEST(GveRx, TheWitnessIsToldOfEveryWrite) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(kHeaders + 4096 + 10);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    const auto& writes = driver.witness.writes;
    DriverRx& queue = driver.rx(0);
    ASSERT_EQ(writes.size(), 3u);
    EXPECT_EQ(writes[0].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(writes[0].address, queue.header_address(0));
    EXPECT_EQ(writes[0].length, kHeaders);
    EXPECT_EQ(writes[1].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(writes[1].address, queue.buffer_address(0));
    EXPECT_EQ(writes[1].length, 4096u);
    EXPECT_EQ(writes[1].stream_offset, 0u);
    EXPECT_EQ(writes[2].address, queue.buffer_address(1));
    EXPECT_EQ(writes[2].length, 10u);
    EXPECT_EQ(writes[2].stream_offset, 4096u);
}

TEST(GveRx, TheWitnessIsToldWhenBuffersWerePosted) {
    GveDriver driver;
    DriverOptions options;
    options.post = false;
    driver.bring_up(options);
    DriverRx& queue = driver.rx(0);
    driver.witness.now = 5;
    driver.post(queue, 1, true);
    driver.witness.now = 9;
    driver.post(queue, 2, true);
    driver.witness.now = 11;
    auto bytes = pattern(kHeaders + 2 * 4096 + 10);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    const auto& writes = driver.witness.writes;
    ASSERT_EQ(writes.size(), 4u);
    EXPECT_EQ(writes[0].posted, 0u) << "header buffers are nobody's";
    EXPECT_EQ(writes[1].posted, 5u);
    EXPECT_EQ(writes[2].posted, 9u);
    EXPECT_EQ(writes[3].posted, 9u);
}

TEST(GveRx, TheWitnessSeesTheTruthOfAWrongSplit) {
    GveDriver driver;
    driver.bring_up();
    DriverRx& queue = driver.rx(0);
    auto bytes = pattern(kHeaders + 100);
    Delivery early = tcp_delivery(bytes);
    early.header_length = kHeaders - 8;
    ASSERT_EQ(driver.device->deliver(early), Accepted::kYes);
    auto& writes = driver.witness.writes;
    ASSERT_EQ(writes.size(), 3u);
    EXPECT_EQ(writes[1].kind, DmaWitness::Kind::kHeader);
    EXPECT_EQ(writes[1].address, queue.buffer_address(0));
    EXPECT_EQ(writes[1].length, 8u);
    EXPECT_EQ(writes[2].kind, DmaWitness::Kind::kPayload);
    EXPECT_EQ(writes[2].address, queue.buffer_address(0) + 8);
    EXPECT_EQ(writes[2].length, 100u);
    EXPECT_EQ(writes[2].stream_offset, 0u);

    writes.clear();
    Delivery late = tcp_delivery(bytes);
    late.header_length = kHeaders + 8;
    ASSERT_EQ(driver.device->deliver(late), Accepted::kYes);
    ASSERT_EQ(writes.size(), 2u);
    EXPECT_EQ(writes[1].length, 92u);
    EXPECT_EQ(writes[1].stream_offset, 8u);
}

TEST(GveRx, UnsplitPacketOverSeveralBuffersTellsOffsets) {
    GveDriver driver;
    driver.bring_up({.header_split = false});
    auto bytes = pattern(kHeaders + 5000);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    const auto& writes = driver.witness.writes;
    ASSERT_EQ(writes.size(), 2u);
    EXPECT_EQ(writes[0].stream_offset, 0u);
    EXPECT_EQ(writes[1].stream_offset, 4096u - kHeaders);
}

TEST(GveRx, BufferThatIsNoMemoryIsGivenBackWithAnError) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    driver.post(queue, 1);
    uint64_t good = queue.buffers;
    queue.buffers = 0xdead000000;  // the second buffer
    driver.post(queue, 1);
    queue.buffers = good;
    driver.post(queue, 30);
    auto bytes = pattern(kHeaders + 2 * 4096);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kBadAddress);
    // Both buffers come back, both with the error; no byte of it counts.
    auto packets = driver.poll(queue);
    ASSERT_EQ(packets.size(), 1u);
    ASSERT_EQ(packets[0].completions.size(), 2u);
    EXPECT_TRUE(packets[0].error());
    EXPECT_NE(packets[0].first().flags & RxCompletion::kRxError, 0);
    EXPECT_TRUE(packets[0].payload.empty());
    EXPECT_EQ(driver.counter("rx_bad_address"), 1u);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
    EXPECT_EQ(driver.forbidden[0].queue, "receive queue 0");
    EXPECT_EQ(driver.forbidden[0].descriptor, 1u);
    EXPECT_GE(driver.forbidden[0].address.value_or(0), 0xdead000000U);
    EXPECT_EQ(driver.forbidden[0].what, "a buffer, 4096 bytes to be written, is not mapped");
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
    EXPECT_FALSE(driver.status_has(kStatusResetRequested));
}

TEST(GveRx, HeaderBufferThatIsNoMemoryIsAnErrorToo) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    queue.headers = 0xffffffffffff0000;
    driver.post(queue, 32);
    auto bytes = pattern(kHeaders + 1);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kBadAddress);
    EXPECT_TRUE(driver.witness.writes.empty());
    EXPECT_EQ(driver.counter("rx_bad_address"), 1u);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].descriptor, 0u);
    EXPECT_NE(driver.forbidden[0].what.find("a header buffer"), std::string::npos);
}

TEST(GveRx, FramesThatNoRingCanHoldAreRefused) {
    GveDriver driver;
    driver.bring_up({.buffer_size = 2048});
    auto bytes = pattern(kHeaders + 2048 * 64);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kTooLong);
    EXPECT_EQ(driver.device->deliver(tcp_delivery({})), Accepted::kTooLong);
    EXPECT_EQ(driver.counter("rx_too_long"), 2u);
}

TEST(GveRx, DestroyedQueueReceivesNothingAndIsNeverWritten) {
    GveDriver driver;
    driver.bring_up();
    DriverRx old = driver.rx(1);
    auto bytes = pattern(kHeaders + 100);
    ASSERT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
    driver.device->end_of_burst();
    ASSERT_EQ(driver.command(Opcode::kDestroyRxQueue, DestroyQueue{1}), Status::kPassed);

    driver.dma.log.clear();
    driver.interrupts();
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kQueueOff);
    driver.ring_doorbell(old.doorbell, 7);
    driver.device->end_of_burst();
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kQueueOff);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 0)), Accepted::kYes);

    // The same queue again, with new memory: the old one stays untouched.
    DriverRx& fresh = driver.create_rx(1, {});
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kNoBuffer);
    driver.post_all(fresh);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 1)), Accepted::kYes);
    EXPECT_EQ(driver.poll(fresh).size(), 1u);
    EXPECT_FALSE(driver.dma.touched(old.buffers, uint64_t{old.size} * old.buffer_size));
    EXPECT_FALSE(driver.dma.touched(old.headers, uint64_t{old.size} * old.header_size));
    EXPECT_FALSE(driver.dma.touched(old.completion_ring, uint64_t{old.size} * 32));
    EXPECT_FALSE(driver.dma.touched(old.buffer_ring, uint64_t{old.size} * 32));
    EXPECT_FALSE(driver.dma.touched(old.resources, 64));
}

TEST(GveRx, UnknownQueuesAreOff) {
    GveDriver driver;
    driver.bring_up();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 5)), Accepted::kQueueOff);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes, 60000)), Accepted::kQueueOff);
    EXPECT_EQ(driver.counter("rx_queue_off"), 2u);
}

TEST(GveRx, WildDoorbellsAreIgnored) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    driver.ring_doorbell(queue.doorbell, 64);
    driver.ring_doorbell(queue.doorbell, 0xffffffff);
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kNoBuffer);
    EXPECT_EQ(driver.counter("bad_registers"), 2u);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    for (const Forbidden& asked : driver.forbidden) {
        EXPECT_EQ(asked.kind, ForbiddenKind::kDoorbell);
        EXPECT_EQ(asked.queue, "receive queue 0");
    }
    // Posted buffers cannot be taken back.
    driver.post(queue, 32);
    driver.ring_doorbell(queue.doorbell, 10);
    for (int i = 0; i < 32; ++i)
        EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kYes);
}

TEST(GveRx, RingThatVanishesStopsTheQueueAndAsksForAReset) {
    GveDriver driver;
    driver.bring_up({.post = false});
    DriverRx& queue = driver.rx(0);
    driver.post(queue, 32);
    driver.dma.range(queue.buffer_ring).clear();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kQueueOff);
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
    EXPECT_EQ(driver.interrupts(), std::vector<uint16_t>{32});
    EXPECT_FALSE(driver.log.empty());
}

TEST(GveRx, CompletionRingThatVanishesStopsTheQueueToo) {
    GveDriver driver;
    driver.bring_up();
    driver.dma.range(driver.rx(0).completion_ring).clear();
    auto bytes = pattern(100);
    EXPECT_EQ(driver.device->deliver(tcp_delivery(bytes)), Accepted::kQueueOff);
    driver.device->end_of_burst();
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
}

}  // namespace
}  // namespace zcrxlab::nic::gve
