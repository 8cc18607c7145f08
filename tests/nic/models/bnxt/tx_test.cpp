// Transmit rings: frames from descriptors, and what is no frame.
#include <gtest/gtest.h>

#include "tests/nic/models/bnxt/bnxt_driver.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

constexpr uint16_t kLong = BufferDescriptor::kTypeTxLong;
constexpr uint16_t kEnd = BufferDescriptor::kPacketEnd;
constexpr uint16_t counted(unsigned descriptors) {
    return static_cast<uint16_t>(descriptors << BufferDescriptor::kCountShift);
}

class BnxtTx : public testing::Test {
  protected:
    uint64_t buffer(std::span<const std::byte> bytes) {
        const uint64_t address = driver.allocate(bytes.size());
        EXPECT_TRUE(driver.dma.write(address, bytes));
        return address;
    }
    void ring() { driver.ring(DoorbellType::kTransmit, queue.tx.number, queue.tx.next); }
    // A frame of `bytes` in two buffers.
    void put(std::span<const std::byte> bytes, const TxExtension& extension, uint32_t opaque,
             uint16_t flags = 0) {
        const auto head = bytes.first(20);
        const auto rest = bytes.subspan(20);
        driver.put(queue.tx, BufferDescriptor{static_cast<uint16_t>(kLong | counted(3) | flags),
                                              uint16_t{20}, opaque, buffer(head)});
        driver.put(queue.tx, extension);
        driver.put(queue.tx, BufferDescriptor{kEnd, static_cast<uint16_t>(rest.size()), uint32_t{0},
                                              buffer(rest)});
    }

    BnxtDriver driver;
    DriverQueue queue = driver.bring_up();
};

TEST_F(BnxtTx, AFrameIsPutTogetherAndCompleted) {
    const auto bytes = pattern(100);
    put(bytes, {}, 0x00030000);
    ring();
    ASSERT_EQ(driver.wire.sent.size(), 1u);
    EXPECT_EQ(driver.wire.sent[0].bytes, bytes);
    EXPECT_EQ(driver.wire.sent[0].mss, 0);
    EXPECT_FALSE(driver.wire.sent[0].checksum);
    EXPECT_EQ(driver.wire.flushes, 1);
    const auto done = driver.poll(queue.tx_completions);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].type_flags & 0x3f, TxCompletion::kType);
    EXPECT_EQ(done[0].word1, 0x00030000u) << "the opaque of its first descriptor";
    EXPECT_TRUE(driver.forbidden.empty());
}

TEST_F(BnxtTx, SegmentationAndChecksumAreLeftToTheWire) {
    TxExtension extension{};
    extension.flags = TxExtension::kL4Checksum;
    put(pattern(100), extension, 0);
    extension.flags = TxExtension::kLso;
    extension.header_size = uint16_t{kHeaders / 2};
    extension.mss = uint32_t{1448};
    put(pattern(5000), extension, 3);
    ring();
    ASSERT_EQ(driver.wire.sent.size(), 2u);
    EXPECT_TRUE(driver.wire.sent[0].checksum);
    EXPECT_EQ(driver.wire.sent[0].mss, 0);
    EXPECT_TRUE(driver.wire.sent[1].checksum);
    EXPECT_EQ(driver.wire.sent[1].mss, 1448);
    EXPECT_EQ(driver.wire.sent[1].header_length, kHeaders);
    EXPECT_EQ(driver.counter("tx_tso_packets"), 1u);
}

// As the driver leaves the segments of a datagram that it cuts itself (bnxt_gso.c).
TEST_F(BnxtTx, TheChecksumOfAnIpv4HeaderIsLeftToTheWireByItself) {
    for (const uint16_t flags : {TxExtension::kIpChecksum, TxExtension::kL4Checksum}) {
        TxExtension extension{};
        extension.flags = flags;
        put(pattern(100), extension, 0);
        ring();
        EXPECT_EQ(driver.wire.sent.back().ip_checksum, flags == TxExtension::kIpChecksum);
        EXPECT_EQ(driver.wire.sent.back().checksum, flags == TxExtension::kL4Checksum);
    }
}

TEST_F(BnxtTx, ACompletionThatNobodyWantsIsNotMade) {
    put(pattern(100), {}, 0, BufferDescriptor::kNoCompletion);
    put(pattern(100), {}, 3);
    ring();
    EXPECT_EQ(driver.wire.sent.size(), 2u);
    EXPECT_EQ(driver.poll(queue.tx_completions).size(), 1u);
}

TEST_F(BnxtTx, WhatIsNoFrameIsToldOfAndCompleted) {
    const uint64_t memory = buffer(pattern(100));
    const BufferDescriptor wrong[] = {
        {uint16_t{0x11 | kEnd | counted(1)}, uint16_t{60}, uint32_t{1}, memory},   // no such type
        {uint16_t{kLong | kEnd | counted(1)}, uint16_t{60}, uint32_t{2}, memory},  // no extension
        {counted(1), uint16_t{60}, uint32_t{3}, memory},                           // no end
        {uint16_t{kEnd | counted(1)}, uint16_t{13}, uint32_t{4}, memory},          // too short
    };
    for (const BufferDescriptor& one : wrong) {
        driver.forbidden.clear();
        driver.put(queue.tx, one);
        ring();
        ASSERT_EQ(driver.forbidden.size(), 1u) << one.opaque;
        EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDescriptor) << one.opaque;
    }
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_EQ(driver.poll(queue.tx_completions).size(), std::size(wrong));
    EXPECT_EQ(driver.counter("tx_malformed"), std::size(wrong));
}

TEST_F(BnxtTx, ASegmentSizeIsNeeded) {
    TxExtension extension{};
    extension.flags = TxExtension::kLso;
    put(pattern(100), extension, 0);
    ring();
    EXPECT_EQ(driver.forbidden.size(), 1u);
    EXPECT_TRUE(driver.wire.sent.empty());
}

TEST_F(BnxtTx, AFrameMustBeThereWhenItIsRungFor) {
    driver.put(queue.tx, BufferDescriptor{uint16_t{kLong | counted(3)}, uint16_t{60}, uint32_t{0},
                                          buffer(pattern(60))});
    ring();
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDescriptor);
    EXPECT_FALSE(driver.device->has_work());
}

TEST_F(BnxtTx, ABufferThatIsNoMemoryIsToldOf) {
    driver.put(queue.tx, BufferDescriptor{uint16_t{kEnd | counted(1)}, uint16_t{60}, uint32_t{0},
                                          uint64_t{0x10}});
    ring();
    ASSERT_EQ(driver.forbidden.size(), 1u);
    EXPECT_EQ(driver.forbidden[0].kind, ForbiddenKind::kDma);
    EXPECT_EQ(driver.poll(queue.tx_completions).size(), 1u);
}

TEST_F(BnxtTx, ADoorbellGoesForwardAndStaysInside) {
    driver.ring(DoorbellType::kTransmit, queue.tx.number, queue.tx.size);
    driver.ring(DoorbellType::kTransmit, 0x2ff, 0);
    ASSERT_EQ(driver.forbidden.size(), 2u);
    for (const Forbidden& one : driver.forbidden) EXPECT_EQ(one.kind, ForbiddenKind::kDoorbell);
}

TEST_F(BnxtTx, NothingIsSentWithoutALink) {
    driver.device->set_link(false);
    put(pattern(100), {}, 0);
    ring();
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_EQ(driver.poll(queue.tx_completions).size(), 1u);
    EXPECT_EQ(driver.counter("tx_link_down"), 1u);
}

TEST_F(BnxtTx, ARingMayLieInPagesThatATableNames) {
    RingAllocate request{};
    request.type = static_cast<uint8_t>(RingType::kTx);
    request.completion_ring = queue.tx_completions.number;
    request.length = uint32_t{512};
    request.page_shift = 12;
    request.table_depth = 1;
    request.memory = driver.allocate(16);
    const uint64_t pages[] = {driver.allocate(4096), driver.allocate(4096)};
    driver.store(request.memory, Le64(pages[0] | 1));
    driver.store(request.memory + 8, Le64(pages[1] | 3));
    ASSERT_EQ(driver.send(HwrmType::kRingAlloc, request), HwrmError::kNone);
    const uint16_t number = driver.answer<RingAllocated>().ring;
    const uint64_t frame = buffer(pattern(60));
    const BufferDescriptor one{uint16_t{kEnd | counted(1)}, uint16_t{60}, uint32_t{0}, frame};
    const BufferDescriptor two{uint16_t{counted(2)}, uint16_t{60}, uint32_t{0}, frame};
    const BufferDescriptor rest{kEnd, uint16_t{30}, uint32_t{0}, frame};
    for (uint64_t i = 0; i < 255; ++i) driver.store(pages[0] + i * sizeof(one), one);
    // A frame of which one descriptor is the last of a page.
    driver.store(pages[0] + 255 * sizeof(one), two);
    driver.store(pages[1], rest);
    for (uint32_t to = 50; to <= 250; to += 50) {
        driver.ring(DoorbellType::kTransmit, number, to);
        driver.poll(queue.tx_completions);
        driver.ring(DoorbellType::kCompletions, queue.tx_completions.number,
                    queue.tx_completions.next);
    }
    driver.ring(DoorbellType::kTransmit, number, 257);
    EXPECT_TRUE(driver.forbidden.empty());
    ASSERT_EQ(driver.wire.sent.size(), 256u);
    EXPECT_EQ(driver.wire.sent.back().bytes.size(), 90u);
}

TEST_F(BnxtTx, ARingThatIsFreedIsNotRead) {
    put(pattern(100), {}, 0);
    EXPECT_EQ(driver.free_ring(RingType::kTx, queue.tx.number), HwrmError::kNone);
    ring();
    EXPECT_TRUE(driver.wire.sent.empty());
    EXPECT_EQ(driver.forbidden.size(), 1u);
}

TEST(BnxtTxTurns, LargeFramesTakeTurns) {
    BnxtDriver driver;
    DriverQueue queue = driver.bring_up(0, 32);
    const uint64_t memory = driver.allocate(65536);
    for (int frame = 0; frame < 7; ++frame)
        for (int i = 0; i < 4; ++i)
            driver.put(queue.tx, BufferDescriptor{static_cast<uint16_t>((i == 0 ? counted(4) : 0) |
                                                                        (i == 3 ? kEnd : 0)),
                                                  uint16_t{0}, uint32_t{0}, memory});
    driver.ring(DoorbellType::kTransmit, queue.tx.number, queue.tx.next);
    EXPECT_EQ(driver.wire.sent.size(), 4u) << "of 256 KiB each";
    EXPECT_TRUE(driver.device->has_work());
    driver.device->work();
    EXPECT_EQ(driver.wire.sent.size(), 7u);
    EXPECT_FALSE(driver.device->has_work());
    EXPECT_EQ(driver.poll(queue.tx_completions).size(), 7u);
    EXPECT_TRUE(driver.forbidden.empty());
}

}  // namespace
}  // namespace zcrxlab::nic::bnxt
