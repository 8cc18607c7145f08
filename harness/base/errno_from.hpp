// errno_from: an errno as people write it.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/errno_name.hpp"
#include "harness/base/number.hpp"

namespace zcrxlab {

// "EEXIST", "-17", "17" or "eexist" as a positive errno.
inline std::optional<int> errno_from(std::string_view text) {
    constexpr int kLargest = 133;  // EHWPOISON, the last one that has a name
    if (text.starts_with('-')) text.remove_prefix(1);
    if (const auto number = number_from<int>(text, 1, kLargest)) return number;
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    for (int code = 1; code <= kLargest; ++code)
        if (const char* name = ::strerrorname_np(code); name != nullptr && upper == name)
            return code;
    return std::nullopt;
}

}  // namespace zcrxlab
