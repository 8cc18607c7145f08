// Pattern: the payload of a stream as a pure function of its seed and the position.
//
// Byte p of a stream is byte p mod B of one fixed random block of B bytes, XORed with byte p mod 8
// of a key that belongs to (seed, p / B) alone. Two blocks of a stream never have the same key, and
// inside the block every 8 bytes differ from every other: no shift, swap or repetition, not of one
// byte and not of whole blocks, goes unseen. The block stays in the cache, so that comparing reads
// only what is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zcrxlab {

inline constexpr size_t kPatternBlock = 16384;

struct Mismatch {
    uint64_t position = 0;  // in the stream
    uint8_t expected = 0;
    uint8_t seen = 0;
};

class Pattern {
  public:
    explicit Pattern(uint64_t seed) : seed_(seed) {}

    uint64_t seed() const { return seed_; }
    uint8_t at(uint64_t position) const;
    // Writes the bytes from `position` on.
    void fill(std::span<std::byte> out, uint64_t position) const;
    // The first byte that is not the pattern's, if any.
    std::optional<Mismatch> compare(std::span<const std::byte> bytes, uint64_t position) const;

  private:
    uint64_t key(uint64_t block) const;

    uint64_t seed_;
};

}  // namespace zcrxlab
