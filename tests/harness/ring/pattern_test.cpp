// The payload pattern: nothing that can go wrong with a stream leaves it looking right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/ring/pattern.hpp"

namespace zcrxlab {
namespace {

constexpr uint64_t kSeed = 0x1234;
constexpr size_t kPage = 4096;

std::vector<std::byte> stream(uint64_t position, size_t size, uint64_t seed = kSeed) {
    std::vector<std::byte> bytes(size);
    Pattern(seed).fill(bytes, position);
    return bytes;
}

TEST(Pattern, IsAFunctionOfSeedAndPosition) {
    const auto bytes = stream(0, 3 * kPatternBlock + 77);
    const Pattern pattern(kSeed);
    for (size_t i = 0; i < bytes.size(); ++i)
        ASSERT_EQ(pattern.at(i), static_cast<uint8_t>(bytes[i])) << i;
}

TEST(Pattern, AnyPieceFilledOnItsOwnIsThePieceOfTheWhole) {
    const auto whole = stream(0, 2 * kPatternBlock + 1000);
    for (const size_t start : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{31}, size_t{4095},
                               kPatternBlock - 1, kPatternBlock, kPatternBlock + 13}) {
        for (const size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{8}, size_t{9}, size_t{33},
                                  size_t{129}, size_t{1447}, kPatternBlock + 1}) {
            if (start + size > whole.size()) continue;
            const auto piece = stream(start, size);
            EXPECT_TRUE(std::equal(piece.begin(), piece.end(), whole.begin() + start))
                << start << " + " << size;
        }
    }
}

TEST(Pattern, AcceptsItselfAtEverySizeAndAlignment) {
    const auto whole = stream(0, kPatternBlock + 600);
    const Pattern pattern(kSeed);
    for (size_t start = 0; start < 70; ++start) {
        for (size_t size = 0; size < 300; ++size) {
            ASSERT_FALSE(pattern.compare(std::span(whole).subspan(start, size), start))
                << start << " + " << size;
        }
    }
    EXPECT_FALSE(pattern.compare(whole, 0));
}

TEST(Pattern, ASingleBitAnywhereIsFoundWhereItIs) {
    const size_t size = kPatternBlock + 137;  // a block, vectors, words and bytes of the next
    const uint64_t position = 5;
    auto bytes = stream(position, size);
    const Pattern pattern(kSeed);
    for (size_t i = 0; i < size; i += (i < 300 || i + 300 > size) ? 1 : 97) {
        for (int bit = 0; bit < 8; ++bit) {
            const auto flip = static_cast<std::byte>(1 << bit);
            bytes[i] ^= flip;
            const auto mismatch = pattern.compare(bytes, position);
            ASSERT_TRUE(mismatch) << i;
            ASSERT_EQ(mismatch->position, position + i);
            ASSERT_EQ(mismatch->seen, static_cast<uint8_t>(bytes[i]));
            ASSERT_EQ(mismatch->expected, static_cast<uint8_t>(bytes[i] ^ flip));
            bytes[i] ^= flip;
        }
    }
}

TEST(Pattern, AShiftByAnythingIsSeenWithinEightBytes) {
    const Pattern pattern(kSeed);
    for (const uint64_t shift :
         {uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{8}, uint64_t{16}, uint64_t{64},
          uint64_t{512}, uint64_t{4095}, uint64_t{4096}, uint64_t{8192}, uint64_t{kPatternBlock},
          uint64_t{65536}, uint64_t{1} << 32}) {
        for (uint64_t position = 0; position < 3 * kPatternBlock; position += 8) {
            const auto bytes = stream(position + shift, 8);
            ASSERT_TRUE(pattern.compare(bytes, position)) << shift << " at " << position;
        }
    }
}

TEST(Pattern, SwappedPagesAreSeen) {
    auto bytes = stream(0, 64 * kPage);
    const Pattern pattern(kSeed);
    for (size_t a = 0; a < 64; ++a) {
        for (size_t b = a + 1; b < 64; ++b) {
            const auto page_a = std::span(bytes).subspan(a * kPage, kPage);
            const auto page_b = std::span(bytes).subspan(b * kPage, kPage);
            std::swap_ranges(page_a.begin(), page_a.end(), page_b.begin());
            const auto mismatch = pattern.compare(bytes, 0);
            ASSERT_TRUE(mismatch) << a << " " << b;
            ASSERT_LT(mismatch->position, a * kPage + 8);
            std::swap_ranges(page_a.begin(), page_a.end(), page_b.begin());
        }
    }
}

TEST(Pattern, ARepeatedPageIsSeen) {
    auto bytes = stream(0, 16 * kPage);
    const auto clean = bytes;
    for (size_t page = 1; page < 16; ++page) {
        std::memcpy(bytes.data() + page * kPage, bytes.data() + (page - 1) * kPage, kPage);
        const auto mismatch = Pattern(kSeed).compare(bytes, 0);
        ASSERT_TRUE(mismatch) << page;
        ASSERT_LT(mismatch->position, page * kPage + 8);
        bytes = clean;
    }
}

TEST(Pattern, TwoSwappedWordsAreSeen) {
    auto bytes = stream(0, kPage);
    for (size_t a = 0; a + 8 < kPage; a += 8) {
        std::swap_ranges(bytes.begin() + a, bytes.begin() + a + 8, bytes.begin() + kPage - 8);
        ASSERT_TRUE(Pattern(kSeed).compare(bytes, 0)) << a;
        std::swap_ranges(bytes.begin() + a, bytes.begin() + a + 8, bytes.begin() + kPage - 8);
    }
}

TEST(Pattern, AnotherSeedIsSeenInEveryEightBytes) {
    for (const uint64_t other : {kSeed + 1, kSeed - 1, uint64_t{0}, ~uint64_t{0}, kSeed << 32}) {
        const auto bytes = stream(0, 2 * kPatternBlock, other);
        for (size_t position = 0; position < bytes.size(); position += 8) {
            ASSERT_TRUE(Pattern(kSeed).compare(std::span(bytes).subspan(position, 8), position));
        }
    }
}

TEST(Pattern, NeighbouringSeedsAreNoShiftsOfEachOther) {
    // A key that depended on seed + block alone would make stream n + 1 a shifted stream n.
    const auto bytes = stream(kPatternBlock, kPatternBlock, kSeed);
    EXPECT_TRUE(Pattern(kSeed + 1).compare(bytes, 0));
}

TEST(Pattern, ZeroedAndStaleMemoryIsSeen) {
    std::vector<std::byte> zeros(8);
    for (uint64_t position = 0; position < 4 * kPatternBlock; position += 8)
        ASSERT_TRUE(Pattern(kSeed).compare(zeros, position)) << position;
}

TEST(Pattern, NoEightBytesOfAStreamComeTwice) {
    const size_t size = 1U << 20;
    const auto bytes = stream(0, size + 8);
    std::unordered_set<uint64_t> seen;
    for (size_t i = 0; i < size; ++i) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + i, 8);
        ASSERT_TRUE(seen.insert(word).second) << "at " << i;
    }
}

TEST(Pattern, EveryByteValueIsAboutAsFrequent) {
    const size_t size = 1U << 20;
    std::vector<size_t> counts(256);
    for (const std::byte byte : stream(0, size)) ++counts[static_cast<uint8_t>(byte)];
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    EXPECT_GT(*least, size / 256 / 2);
    EXPECT_LT(*most, size / 256 * 2);
}

}  // namespace
}  // namespace zcrxlab
