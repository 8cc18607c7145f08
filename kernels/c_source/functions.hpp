// The functions of a C source in the kernel's style, by their lines.
//
// gcov names only functions that were not inlined before they were counted, and gives the lines of
// the others to whichever function stands above them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

struct SourceFunction {
    std::string name;
    uint32_t first_line = 0;  // of its signature, from 1
    uint32_t last_line = 0;   // of its closing brace
};

// The kernel's style (Documentation/process/coding-style.rst): both braces of a function's body are
// the first character of their lines, and no other opening brace is. In the order of the source.
std::vector<SourceFunction> functions_of(std::string_view source);

}  // namespace zcrxlab
