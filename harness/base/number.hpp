// Numbers in text: whole texts, and numbers at the front of one. No sign but '-', no blanks, no
// "0x".
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace zcrxlab {

// Takes the number at the front of `text` off it. Nothing, and `text` as it was, if there is none
// or it does not fit into a T.
template <typename T>
requires std::is_arithmetic_v<T> std::optional<T> take_number(std::string_view& text,
                                                              int base = 10) {
    T number{};
    const char* const end = text.data() + text.size();
    std::from_chars_result read{};
    if constexpr (std::is_integral_v<T>) {
        read = std::from_chars(text.data(), end, number, base);
    } else {
        read = std::from_chars(text.data(), end, number);
    }
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
    return number;
}

// The number that `text` is, from first to last character, if it lies between `least` and `most`;
// none of "nan" and "inf" does.
template <typename T>
requires std::is_arithmetic_v<T> std::optional<T> number_from(
    std::string_view text, T least = std::numeric_limits<T>::lowest(),
    T most = std::numeric_limits<T>::max(), int base = 10) {
    const std::optional<T> number = take_number<T>(text, base);
    if (!number || !text.empty() || !(*number >= least && *number <= most)) return std::nullopt;
    return number;
}

// The same for hexadecimal digits, of either case.
template <std::integral T>
std::optional<T> number_from_hex(std::string_view digits) {
    return number_from<T>(digits, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 16);
}

}  // namespace zcrxlab
