// Bytes written as hexadecimal text, as they were recorded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

inline std::vector<std::byte> from_hex(std::string_view text) {
    std::vector<std::byte> bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2) {
        const auto pair = std::string(text.substr(i, 2));
        bytes.push_back(static_cast<std::byte>(std::stoul(pair, nullptr, 16)));
    }
    return bytes;
}

template <typename Bytes>
std::string to_hex(const Bytes& bytes) {
    static const char* digits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += digits[static_cast<unsigned>(byte) >> 4];
        text += digits[static_cast<unsigned>(byte) & 15];
    }
    return text;
}

}  // namespace zcrxlab
