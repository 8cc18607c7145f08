// The hash as FIPS 180-4, 6.2 has it.
#include "harness/conform/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cctype>

namespace zcrxlab {

namespace {

// FIPS 180-4, 4.2.2.
constexpr std::array<uint32_t, 64> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr size_t kDigits = 64;
constexpr size_t kLengthAt = 56;  // of the last block

}  // namespace

void Sha256::take_block(const std::byte* block) {
    std::array<uint32_t, 64> w{};
    for (size_t t = 0; t < 16; ++t)
        for (size_t i = 0; i < 4; ++i)
            w[t] = w[t] << 8 | std::to_integer<uint32_t>(block[4 * t + i]);
    for (size_t t = 16; t < w.size(); ++t) {
        const uint32_t low = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
        const uint32_t high = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + low + w[t - 7] + high;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t t = 0; t < w.size(); ++t) {
        const uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               ((e & f) ^ (~e & g)) + kConstants[t] + w[t];
        const uint32_t second =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::array<uint32_t, 8> add{a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < state_.size(); ++i) state_[i] += add[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const size_t at = bytes_ % block_.size();
        const size_t count = std::min(block_.size() - at, bytes.size());
        std::copy_n(bytes.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(at));
        bytes_ += count;
        bytes = bytes.subspan(count);
        if (bytes_ % block_.size() == 0) take_block(block_.data());
    }
}

std::string Sha256::hex() const {
    Sha256 whole = *this;
    const uint64_t bits = bytes_ * 8;
    whole.add(std::array{std::byte{0x80}});
    while (whole.bytes_ % block_.size() != kLengthAt) whole.add(std::array{std::byte{0}});
    std::array<std::byte, 8> length{};
    for (size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<std::byte>(bits >> (8 * (length.size() - 1 - i)));
    whole.add(length);
    std::string text;
    for (const uint32_t word : whole.state_)
        for (int shift = 28; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[word >> static_cast<unsigned>(shift) & 0xf];
    return text;
}

std::vector<std::string> sha256_in(std::string_view text) {
    std::vector<std::string> found;
    std::string run;
    const auto end_run = [&] {
        if (run.size() == kDigits) found.push_back(run);
        run.clear();
    };
    for (const char c : text) {
        const auto character = static_cast<unsigned char>(c);
        if (std::isxdigit(character) != 0)
            run += static_cast<char>(std::tolower(character));
        else
            end_run();
        // A longer run is none, however long it is.
        if (run.size() > kDigits + 1) run.resize(kDigits + 1);
    }
    end_run();
    return found;
}

}  // namespace zcrxlab
