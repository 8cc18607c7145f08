// Toeplitz: the hash of receive side scaling, as Microsoft's RSS specification defines it.
#include "nic/wire/toeplitz.hpp"

#include <algorithm>

namespace zcrxlab::nic {

const std::array<uint8_t, kRssKey> kRssDefaultKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

Toeplitz::Toeplitz(std::span<const uint8_t> key) : by_byte_(kRssLongest) {
    std::array<uint8_t, kRssKey> padded{};
    std::copy_n(key.begin(), std::min(key.size(), padded.size()), padded.begin());
    for (size_t position = 0; position < kRssLongest; ++position) {
        // The 32 key bits that begin at each bit of this byte.
        uint64_t window = 0;
        for (size_t i = 0; i < 5; ++i)
            window = window << 8 | (position + i < kRssKey ? padded[position + i] : 0);
        std::array<uint32_t, 256>& shares = by_byte_[position];
        shares[0] = 0;
        for (unsigned bit = 0; bit < 8; ++bit) {
            // Values whose highest bit this is: that of the bit and that of the rest.
            unsigned first = 1U << bit;
            auto share = static_cast<uint32_t>(window >> (bit + 1));
            for (unsigned rest = 0; rest < first; ++rest)
                shares[first + rest] = shares[rest] ^ share;
        }
    }
}

uint32_t Toeplitz::hash(std::span<const uint8_t> input) const {
    uint32_t hash = 0;
    size_t count = std::min(input.size(), kRssLongest);
    for (size_t i = 0; i < count; ++i) hash ^= by_byte_[i][input[i]];
    return hash;
}

}  // namespace zcrxlab::nic
