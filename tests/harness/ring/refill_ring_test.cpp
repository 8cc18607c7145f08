// The refill ring over plain memory; the tests move the head as the kernel does.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "harness/ring/refill_ring.hpp"

namespace zcrxlab {
namespace {

// The refill ring's memory in one of the layouts that kernels have.
struct FakeRegion {
    FakeRegion(uint32_t entries, uint32_t tail_at, uint32_t rqes_at, uint32_t start = 0)
        : words((rqes_at + entries * sizeof(uapi::ZcrxRqe)) / 8 + 1) {
        offsets.head = 0;
        offsets.tail = tail_at;
        offsets.rqes = rqes_at;
        set(0, start);
        set(tail_at, start);
    }
    std::byte* data() { return reinterpret_cast<std::byte*>(words.data()); }
    void set(uint32_t at, uint32_t value) { std::memcpy(data() + at, &value, 4); }
    uint32_t get(uint32_t at) {
        uint32_t value = 0;
        std::memcpy(&value, data() + at, 4);
        return value;
    }
    uint32_t tail() { return get(offsets.tail); }
    void consume(uint32_t count) { set(offsets.head, get(offsets.head) + count); }
    uapi::ZcrxRqe entry(uint32_t index) {
        uapi::ZcrxRqe rqe;
        std::memcpy(&rqe, data() + offsets.rqes + index * sizeof rqe, sizeof rqe);
        return rqe;
    }

    std::vector<uint64_t> words;
    uapi::ZcrxOffsets offsets{};
};

TEST(RefillRing, WritesWhereTheOffsetsSay) {
    // Linux 6.15, 6.18, 7.3.
    const std::pair<uint32_t, uint32_t> layouts[] = {{4, 8}, {4, 64}, {64, 128}};
    for (const auto& [tail_at, rqes_at] : layouts) {
        FakeRegion region(8, tail_at, rqes_at);
        RefillRing ring(region.data(), region.offsets, 8);
        ASSERT_TRUE(ring.push(0x12000, 1448));
        ring.publish();
        EXPECT_EQ(region.tail(), 1U);
        EXPECT_EQ(region.get(0), 0U);
        const auto rqe = region.entry(0);
        EXPECT_EQ(rqe.offset, 0x12000U);
        EXPECT_EQ(rqe.length, 1448U);
        EXPECT_EQ(rqe.padding, 0U);
    }
}

TEST(RefillRing, NothingIsSeenBeforeItIsPublished) {
    FakeRegion region(8, 4, 64);
    RefillRing ring(region.data(), region.offsets, 8);
    ASSERT_TRUE(ring.push(0, 1));
    ASSERT_TRUE(ring.push(4096, 1));
    EXPECT_EQ(region.tail(), 0U);
    EXPECT_EQ(ring.space(), 6U);
    ring.publish();
    EXPECT_EQ(region.tail(), 2U);
}

TEST(RefillRing, AFullRingTakesNothingUntilTheKernelConsumes) {
    FakeRegion region(4, 4, 64);
    RefillRing ring(region.data(), region.offsets, 4);
    for (uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(ring.push(i << 12, 1));
    EXPECT_EQ(ring.space(), 0U);
    EXPECT_FALSE(ring.push(0xbad000, 1));
    ring.publish();
    EXPECT_EQ(region.tail(), 4U);
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(region.entry(i).offset, uint64_t{i} << 12);
    region.consume(1);
    EXPECT_EQ(ring.space(), 1U);
    EXPECT_TRUE(ring.push(0x9000, 1));
    EXPECT_FALSE(ring.push(0xa000, 1));
    EXPECT_EQ(region.entry(0).offset, 0x9000U);
}

TEST(RefillRing, GoesOverTheEndOfThe32BitIndex) {
    FakeRegion region(4, 64, 128, 0xfffffffe);
    RefillRing ring(region.data(), region.offsets, 4);
    EXPECT_EQ(ring.space(), 4U);
    for (uint64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(ring.push(i, 1));
        ring.publish();
        ASSERT_EQ(region.entry((0xfffffffe + static_cast<uint32_t>(i)) & 3).offset, i);
        if (i % 3 == 2) region.consume(3);
        ASSERT_LE(ring.tail() - ring.head(), 4U);
    }
    EXPECT_EQ(region.tail(), 98U);
}

TEST(RefillRing, AHeadThatMakesNoSenseLeavesNoSpace) {
    FakeRegion region(4, 4, 64);
    RefillRing ring(region.data(), region.offsets, 4);
    region.set(0, 1);  // the kernel claims to have taken what was never given
    EXPECT_EQ(ring.space(), 0U);
    EXPECT_FALSE(ring.push(0, 1));
}

TEST(RefillRing, GoesOnFromTheTailThatIsThere) {
    FakeRegion region(4, 4, 64, 7);
    RefillRing ring(region.data(), region.offsets, 4);
    ASSERT_TRUE(ring.push(0x5000, 1));
    EXPECT_EQ(region.entry(3).offset, 0x5000U);
    ring.publish();
    EXPECT_EQ(region.tail(), 8U);
}

TEST(RefillRing, CanBeOverrunOnPurpose) {
    FakeRegion region(4, 4, 64);
    RefillRing ring(region.data(), region.offsets, 4);
    for (uint64_t i = 0; i < 5; ++i) ring.push_unchecked(i, 1, 3);
    ring.publish();
    EXPECT_EQ(region.tail(), 5U);
    EXPECT_EQ(region.entry(0).offset, 4U);
    EXPECT_EQ(region.entry(0).padding, 3U);
    ring.publish_tail(100);
    EXPECT_EQ(region.tail(), 100U);
}

TEST(RefillRing, AnUnboundRingHasNoSpace) {
    RefillRing ring;
    EXPECT_EQ(ring.space(), 0U);
    EXPECT_FALSE(ring.push(0, 0));
}

}  // namespace
}  // namespace zcrxlab
