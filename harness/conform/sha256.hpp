// SHA-256 (FIPS 180-4), and finding such hashes in what programs print.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

class Sha256 {
  public:
    void add(std::span<const std::byte> bytes);
    // 64 hex digits, small letters, of all that was added so far; more may be added afterwards.
    std::string hex() const;

  private:
    void take_block(const std::byte* block);

    std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> block_{};
    uint64_t bytes_ = 0;
};

// Each run of just 64 hex digits in `text`, in small letters.
std::vector<std::string> sha256_in(std::string_view text);

}  // namespace zcrxlab
