// A line of the kernel log without what stands before its text.
#pragma once

#include <string_view>

namespace zcrxlab {

// Without "<4>", "[   12.345678] ", "[  T123] " and spaces before it.
std::string_view without_stamp(std::string_view line);

}  // namespace zcrxlab
