// lines_of: a text, line by line.
#pragma once

#include <string_view>
#include <vector>

namespace zcrxlab {

// Without their newlines, as parts of `text`. What is behind the last newline is a line, too,
// unless it is empty.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace zcrxlab
