// Toeplitz: the hash of receive side scaling, as Microsoft's RSS specification defines it ("RSS
// hashing functions", "Verifying the RSS hash calculation").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zcrxlab::nic {

inline constexpr size_t kRssKey = 40;      // bytes
inline constexpr size_t kRssLongest = 36;  // bytes hashed at most: two IPv6 addresses and ports

// The key of the specification's test vectors, which many drivers use by default.
extern const std::array<uint8_t, kRssKey> kRssDefaultKey;

class Toeplitz {
  public:
    // A key of another length than kRssKey is cut, or filled up with zeros.
    explicit Toeplitz(std::span<const uint8_t> key = kRssDefaultKey);

    // Hash of at most kRssLongest bytes; what is behind them is ignored.
    uint32_t hash(std::span<const uint8_t> input) const;

  private:
    std::vector<std::array<uint32_t, 256>> by_byte_;  // [position][value]: its share of the hash
};

}  // namespace zcrxlab::nic
