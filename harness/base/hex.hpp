// Bytes as hexadecimal digits and back.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zcrxlab {

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Two digits for each byte, in lower case.
inline std::string hex_of(std::span<const std::byte> bytes) {
    std::string digits;
    digits.reserve(bytes.size() * 2);
    for (const std::byte byte : bytes) {
        digits += kHexDigits[std::to_integer<unsigned>(byte) >> 4U];
        digits += kHexDigits[std::to_integer<unsigned>(byte) & 15U];
    }
    return digits;
}

inline std::string hex_of(std::string_view bytes) {
    return hex_of(std::as_bytes(std::span(bytes)));
}

// All digits of a number: 8 of a uint32_t.
template <std::unsigned_integral T>
std::string hex_of_number(T number) {
    std::string digits(sizeof(T) * 2, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number >>= 4U)
        *digit = kHexDigits[number & 15U];
    return digits;
}

// The value of a digit of either case; nothing for another character.
inline std::optional<unsigned> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

// The bytes; nothing if there is another character, or half a byte.
inline std::optional<std::string> bytes_from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(digits.size() / 2);
    for (size_t i = 0; i < digits.size(); i += 2) {
        const auto high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
        if (!high || !low) return std::nullopt;
        bytes += static_cast<char>(*high << 4U | *low);
    }
    return bytes;
}

}  // namespace zcrxlab
