// Fills and compares at the speed of memory: one load, two XORs and one OR for each vector.
#include "harness/ring/pattern.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace zcrxlab {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

// The finalizer of SplitMix64: a bijection of 64 bits.
constexpr uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

struct alignas(64) Block {
    std::array<uint64_t, kPatternBlock / 8> words{};
    Block() {
        for (size_t i = 0; i < words.size(); ++i) words[i] = mix((i + 1) * kGolden);
    }
    const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(words.data()); }
};

const Block& block() {
    static const Block instance;
    return instance;
}

static_assert(std::endian::native == std::endian::little, "byte i of a key is its bits 8i to 8i+7");

using Vector = uint64_t __attribute__((vector_size(32)));

// Neither payload nor position is aligned to anything.
template <typename T>
[[gnu::always_inline]] inline void load(T& value, const std::byte* from) {
    std::memcpy(&value, from, sizeof value);
}

// ORs the bits in which 32 bytes differ from the table under the keys into `wrong`.
[[gnu::always_inline]] inline void collect(Vector& wrong, const std::byte* bytes,
                                           const std::byte* table, const Vector& keys) {
    Vector have, want;
    load(have, bytes);
    load(want, table);
    wrong |= have ^ want ^ keys;
}

// `key` is rotated so that its byte 0 belongs to the first byte.
[[gnu::always_inline]] inline bool equal_with(const std::byte* bytes, const std::byte* table,
                                              uint64_t key, size_t size) {
    const Vector keys = {key, key, key, key};
    Vector a{}, b{}, c{}, d{};
    size_t at = 0;
    for (; at + 128 <= size; at += 128) {
        collect(a, bytes + at, table + at, keys);
        collect(b, bytes + at + 32, table + at + 32, keys);
        collect(c, bytes + at + 64, table + at + 64, keys);
        collect(d, bytes + at + 96, table + at + 96, keys);
    }
    for (; at + 32 <= size; at += 32) collect(a, bytes + at, table + at, keys);
    a |= b | c | d;
    uint64_t wrong = a[0] | a[1] | a[2] | a[3];
    for (; at + 8 <= size; at += 8) {
        uint64_t have = 0, want = 0;
        load(have, bytes + at);
        load(want, table + at);
        wrong |= have ^ want ^ key;
    }
    for (; at < size; ++at) {
        wrong |= static_cast<uint64_t>(bytes[at] ^ table[at]) ^ ((key >> (8 * (at % 8))) & 0xff);
    }
    return wrong == 0;
}

[[gnu::always_inline]] inline void fill_with(std::byte* bytes, const std::byte* table, uint64_t key,
                                             size_t size) {
    const Vector keys = {key, key, key, key};
    size_t at = 0;
    for (; at + 32 <= size; at += 32) {
        Vector value;
        load(value, table + at);
        value ^= keys;
        std::memcpy(bytes + at, &value, sizeof value);
    }
    for (; at < size; ++at) {
        bytes[at] = table[at] ^ static_cast<std::byte>(key >> (8 * (at % 8)));
    }
}

__attribute__((target("avx2"))) bool equal_avx2(const std::byte* bytes, const std::byte* table,
                                                uint64_t key, size_t size) {
    return equal_with(bytes, table, key, size);
}
bool equal_base(const std::byte* bytes, const std::byte* table, uint64_t key, size_t size) {
    return equal_with(bytes, table, key, size);
}
__attribute__((target("avx2"))) void fill_avx2(std::byte* bytes, const std::byte* table,
                                               uint64_t key, size_t size) {
    fill_with(bytes, table, key, size);
}
void fill_base(std::byte* bytes, const std::byte* table, uint64_t key, size_t size) {
    fill_with(bytes, table, key, size);
}

bool has_avx2() {
    static const bool has = __builtin_cpu_supports("avx2") != 0;
    return has;
}

// The part of [position, position + size) that lies in one block, and the key for its first byte.
struct Piece {
    size_t inside;  // offset in the block
    size_t size;
};

Piece first_piece(uint64_t position, size_t size) {
    const size_t inside = position % kPatternBlock;
    return {inside, std::min(size, kPatternBlock - inside)};
}

uint64_t rotated(uint64_t key, uint64_t position) {
    return std::rotr(key, static_cast<int>(8 * (position % 8)));
}

}  // namespace

uint64_t Pattern::key(uint64_t block_number) const {
    return mix(mix(seed_ + kGolden) + block_number * kGolden);
}

uint8_t Pattern::at(uint64_t position) const {
    const auto table = static_cast<uint8_t>(block().bytes()[position % kPatternBlock]);
    return table ^ static_cast<uint8_t>(rotated(key(position / kPatternBlock), position));
}

void Pattern::fill(std::span<std::byte> out, uint64_t position) const {
    const auto fill = has_avx2() ? fill_avx2 : fill_base;
    while (!out.empty()) {
        const Piece piece = first_piece(position, out.size());
        fill(out.data(), block().bytes() + piece.inside,
             rotated(key(position / kPatternBlock), position), piece.size);
        out = out.subspan(piece.size);
        position += piece.size;
    }
}

std::optional<Mismatch> Pattern::compare(std::span<const std::byte> bytes,
                                         uint64_t position) const {
    const auto equal = has_avx2() ? equal_avx2 : equal_base;
    while (!bytes.empty()) {
        const Piece piece = first_piece(position, bytes.size());
        const uint64_t first_key = rotated(key(position / kPatternBlock), position);
        const std::byte* table = block().bytes() + piece.inside;
        if (!equal(bytes.data(), table, first_key, piece.size)) {
            for (size_t i = 0; i < piece.size; ++i) {
                const std::byte expected =
                    table[i] ^ static_cast<std::byte>(first_key >> (8 * (i % 8)));
                // Read once: memory that changes under us must not hide what was seen.
                const auto seen = *const_cast<const volatile std::byte*>(bytes.data() + i);
                if (seen != expected) {
                    return Mismatch{position + i, static_cast<uint8_t>(expected),
                                    static_cast<uint8_t>(seen)};
                }
            }
            // It was wrong a moment ago and is right now: still a wrong byte.
            const auto now = static_cast<uint8_t>(bytes.front());
            return Mismatch{position, now, now};
        }
        bytes = bytes.subspan(piece.size);
        position += piece.size;
    }
    return std::nullopt;
}

}  // namespace zcrxlab
