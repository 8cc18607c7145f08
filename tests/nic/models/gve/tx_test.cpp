// Transmit: descriptors to frames, contexts, completions, and what is not sent.
#include <gtest/gtest.h>

#include "tests/nic/models/gve/gve_driver.hpp"

namespace zcrxlab::nic::gve {
namespace {

uint16_t type_of(const TxCompletion& completion) {
    return (completion.id_type_generation >> TxCompletion::kTypeShift) & 7;
}

TxTsoContext tso_context(uint32_t payload, uint16_t mss, uint8_t headers) {
    TxTsoContext out{};
    out.total_length[0] = static_cast<uint8_t>(payload);
    out.total_length[1] = static_cast<uint8_t>(payload >> 8);
    out.total_length[2] = static_cast<uint8_t>(payload >> 16);
    out.mss = mss;
    out.header_length = headers;
    out.type_flags = kTxTypeTsoContext | TxTsoContext::kTso;
    return out;
}

TEST(GveTx, AFrameInOnePieceGoesToTheWire) {
    GveDriver driver;
    driver.bring_up();
    auto frame = pattern(1000);
    driver.put_frame(driver.tx(1), frame, 5);
    driver.ring(driver.tx(1));
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
    EXPECT_EQ(driver.wire.sent[0].queue, 1);
    EXPECT_EQ(driver.wire.sent[0].mss, 0);
    EXPECT_FALSE(driver.wire.sent[0].checksum);
    EXPECT_EQ(driver.counter("tx_checksums"), 0U);
    EXPECT_EQ(driver.wire.flushes, 1);
    auto completions = driver.poll(driver.tx(1));
    ASSERT_EQ(completions.size(), 1u);
    EXPECT_EQ(type_of(completions[0]), TxCompletion::kPacket);
    EXPECT_EQ(completions[0].tag_or_head, 5);
    EXPECT_EQ(driver.interrupts(), std::vector<uint16_t>{1});
}

TEST(GveTx, PiecesAreGatheredInOrderAndCompletedOnce) {
    GveDriver driver;
    driver.bring_up();
    auto frame = pattern(5000);
    driver.put_frame(driver.tx(0), frame, 9, 700, true, true);
    uint32_t end = driver.tx(0).tail;
    driver.ring(driver.tx(0));
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
    EXPECT_TRUE(driver.wire.sent[0].checksum);
    EXPECT_EQ(driver.counter("tx_checksums"), 1U);
    auto completions = driver.poll(driver.tx(0));
    ASSERT_EQ(completions.size(), 2u);
    EXPECT_EQ(type_of(completions[0]), TxCompletion::kDescriptor);
    EXPECT_EQ(completions[0].tag_or_head, end);
    EXPECT_EQ(type_of(completions[1]), TxCompletion::kPacket);
    EXPECT_EQ(completions[1].tag_or_head, 9);
}

TEST(GveTx, TsoContextTellsTheSegmentSize) {
    GveDriver driver;
    driver.bring_up();
    auto frame = pattern(66 + 60000);
    driver.put(driver.tx(0), tso_context(60000, 1448, 66));
    driver.put_frame(driver.tx(0), frame, 1, 16383, true);
    driver.ring(driver.tx(0));
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
    EXPECT_EQ(driver.wire.sent[0].mss, 1448);
    EXPECT_TRUE(driver.wire.sent[0].checksum);
    // The context belongs to its packet only.
    auto small = pattern(100);
    driver.put_frame(driver.tx(0), small, 2);
    driver.ring(driver.tx(0));
    ASSERT_EQ(driver.wire.sent.size(), 2u);
    EXPECT_EQ(driver.wire.sent[1].mss, 0);
}

TEST(GveTx, TheLargestTsoFramePasses) {
    GveDriver driver;
    driver.bring_up();
    constexpr uint32_t kLargest = 0x3ffff;  // GVE_DQO_TX_MAX
    auto frame = pattern(kLargest);
    driver.put(driver.tx(0), tso_context(kLargest - 66, 8948, 66));
    driver.put_frame(driver.tx(0), frame, 1, 16383, true);
    driver.ring(driver.tx(0));
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
}

TEST(GveTx, GenerationTurnsAtEveryWrapAndTheCounterCounts) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    uint32_t sent = 0;
    for (uint16_t round = 0; round < 60; ++round) {
        for (uint16_t i = 0; i < 7; ++i, ++sent)
            driver.put_frame(queue, pattern(60, sent), i, 30, false, i == 6);
        driver.ring(queue);
        auto completions = driver.poll(queue);
        ASSERT_EQ(completions.size(), 8u) << round;
        for (uint16_t i = 0; i < 6; ++i) EXPECT_EQ(completions[i].tag_or_head, i);
        driver.arm(queue.block);
    }
    ASSERT_EQ(driver.wire.sent.size(), sent);
    for (uint32_t i = 0; i < sent; ++i) EXPECT_EQ(driver.wire.sent[i].bytes, pattern(60, i));
    EXPECT_EQ(driver.load<Be32>(driver.counter_array + queue.counter * 4), sent);
}

// A ring of TSO frames takes longer than a guest may wait for an answer of another register.
TEST(GveTx, ADoorbellForManyBytesIsServedInTurns) {
    GveDriver driver;
    driver.bring_up({.ring = 256});
    DriverTx& queue = driver.tx(0);
    constexpr uint32_t kFrame = 64000, kFrames = 40;
    for (uint16_t i = 0; i < kFrames; ++i) {
        driver.put(queue, tso_context(kFrame - 66, 1448, 66));
        driver.put_frame(queue, pattern(kFrame, i), i, 16383, true);
    }
    driver.ring(queue);
    size_t turns = 1, before = 0;
    for (; driver.device->has_work(); ++turns) {
        EXPECT_GT(driver.wire.sent.size(), before);
        EXPECT_LE((driver.wire.sent.size() - before - 1) * kFrame, TxQueue::kBytesOfATurn);
        before = driver.wire.sent.size();
        ASSERT_LT(turns, kFrames);
        driver.device->work();
    }
    EXPECT_EQ(turns, 3U);
    ASSERT_EQ(driver.wire.sent.size(), kFrames);
    for (uint32_t i = 0; i < kFrames; ++i) EXPECT_EQ(driver.wire.sent[i].bytes, pattern(kFrame, i));
    const auto completions = driver.poll(queue);
    ASSERT_EQ(completions.size(), kFrames);
    for (uint16_t i = 0; i < kFrames; ++i) EXPECT_EQ(completions[i].tag_or_head, i);
}

TEST(GveTx, WhatIsLeftOfADoorbellGoesWithAReset) {
    GveDriver driver;
    driver.bring_up({.ring = 256});
    for (uint16_t i = 0; i < 40; ++i) {
        driver.put(driver.tx(0), tso_context(64000 - 66, 1448, 66));
        driver.put_frame(driver.tx(0), pattern(64000, i), i, 16383, true);
    }
    driver.ring(driver.tx(0));
    const size_t sent = driver.wire.sent.size();
    ASSERT_TRUE(driver.device->has_work());
    driver.device->set_bus_master(false);
    EXPECT_FALSE(driver.device->has_work());
    driver.device->work();
    driver.device->set_bus_master(true);
    driver.device->reset();
    EXPECT_FALSE(driver.device->has_work());
    driver.device->work();
    EXPECT_EQ(driver.wire.sent.size(), sent);
}

TEST(GveTx, APacketMayBeContinuedByTheNextDoorbell) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    auto frame = pattern(600);
    driver.put_frame(queue, frame, 3, 100);
    uint32_t end = queue.tail;
    driver.ring_doorbell(queue.doorbell, 3);
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_TRUE(driver.interrupts().empty());
    driver.ring_doorbell(queue.doorbell, end);
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
}

TEST(GveTx, CompletionsOfOneDoorbellAreNeverSeenInPart) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    std::vector<TxCompletion> seen;
    for (int round = 0; round < 20; ++round) {
        for (uint16_t i = 0; i < 12; ++i) driver.put_frame(queue, pattern(60), 100 + i);
        driver.dma.after_write = [&] {
            for (const TxCompletion& completion : driver.poll(queue)) seen.push_back(completion);
        };
        driver.ring(queue);
        driver.dma.after_write = nullptr;
        ASSERT_EQ(seen.size(), 12u);
        for (uint16_t i = 0; i < 12; ++i) {
            EXPECT_EQ(type_of(seen[i]), TxCompletion::kPacket);
            EXPECT_EQ(seen[i].tag_or_head, 100 + i);
        }
        seen.clear();
    }
}

// Each of these is completed, so that the driver gets its memory back, and none is sent.
class GveTxRefused : public testing::Test {
  protected:
    void SetUp() override { driver.bring_up(); }
    // `descriptor`: index of the one that is wrong, `words`: what is said of it.
    void expect_completed_unsent(const char* counter, uint32_t descriptor, const char* words) {
        driver.ring(driver.tx(0));
        EXPECT_TRUE(driver.wire.sent.empty());
        auto completions = driver.poll(driver.tx(0));
        ASSERT_EQ(completions.size(), 1u);
        EXPECT_EQ(completions[0].tag_or_head, 4);
        EXPECT_EQ(driver.counter(counter), 1u);
        ASSERT_EQ(driver.forbidden.size(), 1u);
        const Forbidden& asked = driver.forbidden[0];
        const bool address = std::string_view(counter) == "tx_bad_address";
        EXPECT_EQ(asked.kind, address ? ForbiddenKind::kDma : ForbiddenKind::kDescriptor);
        EXPECT_EQ(asked.queue, "transmit queue 0");
        EXPECT_EQ(asked.descriptor, descriptor);
        EXPECT_EQ(asked.address.has_value(), address);
        EXPECT_NE(asked.what.find(words), std::string::npos) << asked.what;
        // And the queue goes on.
        auto frame = pattern(100);
        driver.put_frame(driver.tx(0), frame, 5);
        driver.ring(driver.tx(0));
        ASSERT_EQ(driver.wire.sent.size(), 1u);
        EXPECT_EQ(driver.wire.sent[0].bytes, frame);
        EXPECT_EQ(driver.forbidden.size(), 1u);
    }
    TxPacketDescriptor descriptor(uint64_t address, uint16_t size) {
        TxPacketDescriptor out{};
        out.address = address;
        out.size = size;
        out.tag = 4;
        out.type_flags = kTxTypePacket | TxPacketDescriptor::kEndOfPacket;
        return out;
    }
    GveDriver driver;
};

TEST_F(GveTxRefused, BufferThatIsNoMemory) {
    driver.put(driver.tx(0), descriptor(0xdead00000000, 100));
    expect_completed_unsent("tx_bad_address", 0, "a buffer, 100 bytes to be read, is not mapped");
    EXPECT_EQ(driver.forbidden[0].address, 0xdead00000000);
}
TEST_F(GveTxRefused, BufferAtTheEndOfTheAddressSpace) {
    driver.put(driver.tx(0), descriptor(0xffffffffffffffc0, 1000));
    expect_completed_unsent("tx_bad_address", 0, "1000 bytes");
}
TEST_F(GveTxRefused, EmptyBuffer) {
    TxPacketDescriptor piece = descriptor(driver.tx(0).ring, 100);
    piece.type_flags = kTxTypePacket;
    driver.put(driver.tx(0), piece);
    driver.put(driver.tx(0), descriptor(driver.tx(0).ring, 0));
    expect_completed_unsent("tx_malformed", 1, "a buffer of 0 bytes");
}
TEST_F(GveTxRefused, FrameShorterThanAnEthernetHeader) {
    driver.put_frame(driver.tx(0), pattern(13), 4);
    expect_completed_unsent("tx_malformed", 1, "shorter than an Ethernet header");
}
TEST_F(GveTxRefused, LongFrameWithoutTso) {
    driver.put_frame(driver.tx(0), pattern(9729), 4);
    expect_completed_unsent("tx_too_long", 1, "has 9729 bytes, without TSO at most");
}
TEST_F(GveTxRefused, FrameLongerThanAnyMayBe) {
    uint64_t buffer = driver.allocate(16383);
    driver.put(driver.tx(0), tso_context(17 * 16383 - 66, 1448, 66));
    for (int i = 0; i < 17; ++i) {
        TxPacketDescriptor piece = descriptor(buffer, 16383);
        if (i != 16) piece.type_flags = kTxTypePacket;
        driver.put(driver.tx(0), piece);
    }
    expect_completed_unsent("tx_too_long", 17, "more than 262144 bytes");
}
TEST_F(GveTxRefused, UnknownDescriptorType) {
    TxDescriptor unknown{};
    unknown.bytes[8] = 0x1f;
    driver.put(driver.tx(0), unknown);
    driver.put_frame(driver.tx(0), pattern(100), 4);
    expect_completed_unsent("tx_malformed", 0, "of no type");
}
TEST_F(GveTxRefused, ContextInTheMiddleOfAPacket) {
    TxPacketDescriptor piece = descriptor(driver.tx(0).ring, 50);
    piece.type_flags = kTxTypePacket;
    driver.put(driver.tx(0), piece);
    driver.put_frame(driver.tx(0), pattern(100), 4);
    expect_completed_unsent("tx_malformed", 1, "a general context in the middle");
}
TEST_F(GveTxRefused, TsoContextInTheMiddleOfAPacket) {
    TxPacketDescriptor piece = descriptor(driver.tx(0).ring, 66);
    piece.type_flags = kTxTypePacket;
    driver.put(driver.tx(0), piece);
    driver.put(driver.tx(0), tso_context(1000, 500, 66));
    driver.put(driver.tx(0), descriptor(driver.tx(0).ring, 1000));
    expect_completed_unsent("tx_malformed", 1, "a TSO context in the middle");
}
TEST_F(GveTxRefused, SegmentSizeOfZero) {
    driver.put(driver.tx(0), tso_context(1000, 0, 66));
    driver.put_frame(driver.tx(0), pattern(1066), 4);
    expect_completed_unsent("tx_malformed", 0, "segment size");
}
TEST_F(GveTxRefused, SegmentSizeTooSmall) {
    driver.put(driver.tx(0), tso_context(1000, kTxMinimumMss - 1, 66));
    driver.put_frame(driver.tx(0), pattern(1066), 4);
    expect_completed_unsent("tx_malformed", 0, "segment size");
}
TEST_F(GveTxRefused, SegmentSizeTooLarge) {
    driver.put(driver.tx(0), tso_context(20000, kTxMaximumMss + 1, 66));
    driver.put_frame(driver.tx(0), pattern(20066), 4);
    expect_completed_unsent("tx_malformed", 0, "segment size");
}
TEST_F(GveTxRefused, TsoLengthsThatDoNotAddUp) {
    driver.put(driver.tx(0), tso_context(1001, 500, 66));
    driver.put_frame(driver.tx(0), pattern(1066), 4);
    expect_completed_unsent("tx_malformed", 0, "do not add up");
}
TEST_F(GveTxRefused, TsoHeaderTooShort) {
    driver.put(driver.tx(0), tso_context(1000, 500, 13));
    driver.put_frame(driver.tx(0), pattern(1013), 4);
    expect_completed_unsent("tx_malformed", 0, "shorter than Ethernet's");
}
TEST_F(GveTxRefused, LinkDown) {
    driver.device->set_link(false);
    driver.put_frame(driver.tx(0), pattern(100), 4);
    driver.ring(driver.tx(0));
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_EQ(driver.poll(driver.tx(0)).size(), 1u);
    EXPECT_EQ(driver.counter("tx_link_down"), 1u);
    EXPECT_TRUE(driver.forbidden.empty());  // a driver cannot know
}

TEST(GveTx, RingsWithoutAnyEndOfPacketAreGivenUp) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    uint64_t buffer = driver.allocate(100);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 40; ++i) {
            TxPacketDescriptor piece{};
            piece.address = buffer;
            piece.size = 10;
            piece.type_flags = kTxTypePacket;
            driver.put(queue, piece);
        }
        driver.ring(queue);
    }
    EXPECT_EQ(driver.counter("tx_no_end"), 1u);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].what, "a ring full of descriptors has no end of packet");
    EXPECT_TRUE(driver.wire.sent.empty());
    // The rest of it up to the next end is dropped, then the queue is in step again.
    auto frame = pattern(100);
    TxPacketDescriptor end{};
    end.address = buffer;
    end.size = 100;
    end.type_flags = kTxTypePacket | TxPacketDescriptor::kEndOfPacket;
    driver.put(queue, end);
    driver.put_frame(queue, frame, 2);
    driver.ring(queue);
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, frame);
}

TEST(GveTx, WildDoorbellsAreIgnored) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    driver.ring_doorbell(queue.doorbell, queue.size);
    driver.ring_doorbell(queue.doorbell, 0xffffffff);
    driver.ring_doorbell(queue.doorbell, queue.tail);
    EXPECT_EQ(driver.counter("bad_registers"), 2u);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDoorbell);
    EXPECT_EQ(driver.forbidden[0].queue, "transmit queue 0");
    EXPECT_EQ(driver.forbidden[0].what, "its doorbell was rung with 64 in a ring of 64");
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_TRUE(driver.interrupts().empty());
}

TEST(GveTx, CompletionsBeyondTheRingAreCountedAndNotWritten) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    uint64_t buffer = driver.allocate(64);
    // 63 packets of one descriptor, each asking for an event: 126 completions in a ring of 64.
    for (uint16_t i = 0; i < 63; ++i) {
        TxPacketDescriptor piece{};
        piece.address = buffer;
        piece.size = 64;
        piece.tag = i;
        piece.type_flags =
            kTxTypePacket | TxPacketDescriptor::kEndOfPacket | TxPacketDescriptor::kReportEvent;
        driver.put(queue, piece);
    }
    driver.ring(queue);
    EXPECT_EQ(driver.wire.sent.size(), 63u);
    EXPECT_EQ(driver.counter("tx_completion_lost"), 126u - 64);
    ASSERT_EQ(driver.forbidden.size(), 126u - 64);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kCompletion);
    EXPECT_EQ(driver.forbidden[0].descriptor, 32u);
    auto completions = driver.poll(queue);
    EXPECT_EQ(completions.size(), 64u);
    EXPECT_EQ(completions[0].tag_or_head, 1);  // the first descriptor's event: not overwritten
}

TEST(GveTx, DestroyedQueueSendsNothingAndIsNeverWritten) {
    GveDriver driver;
    driver.bring_up();
    DriverTx old = driver.tx(1);
    driver.put_frame(driver.tx(1), pattern(100), 1);
    uint32_t tail = driver.tx(1).tail;
    ASSERT_EQ(driver.command(Opcode::kDestroyTxQueue, DestroyQueue{1}), Status::kPassed);
    driver.dma.log.clear();
    driver.ring_doorbell(old.doorbell, tail);
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_TRUE(driver.dma.log.empty());
    EXPECT_TRUE(driver.interrupts().empty());
    // Created again it starts at the beginning.
    DriverTx& fresh = driver.create_tx(1, 64);
    driver.put_frame(fresh, pattern(100), 2);
    driver.ring(fresh);
    EXPECT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.poll(fresh).size(), 1u);
}

TEST(GveTx, RingThatVanishesStopsTheQueueAndAsksForAReset) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    driver.put_frame(queue, pattern(100), 1);
    driver.dma.range(queue.ring).clear();
    driver.ring(queue);
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
    EXPECT_EQ(driver.counter("bad_rings"), 1u);
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
    EXPECT_EQ(driver.forbidden[0].address, queue.ring);
    EXPECT_NE(driver.forbidden[0].what.find("its descriptor ring"), std::string::npos);
}

TEST(GveTx, CompletionRingThatVanishesStopsTheQueueToo) {
    GveDriver driver;
    driver.bring_up();
    DriverTx& queue = driver.tx(0);
    driver.put_frame(queue, pattern(100), 1);
    driver.dma.range(queue.completion_ring).clear();
    driver.ring(queue);
    EXPECT_TRUE(driver.status_has(kStatusResetRequested));
}

}  // namespace
}  // namespace zcrxlab::nic::gve
