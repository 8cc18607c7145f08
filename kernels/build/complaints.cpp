// Looks for the source's name and a number behind it.
#include "kernels/build/complaints.hpp"

#include <charconv>
#include <string>

#include "harness/base/lines.hpp"

namespace zcrxlab {

std::set<uint32_t> lines_complained_of(std::string_view output, std::string_view name) {
    const std::string place = std::string(name) + ":";
    std::set<uint32_t> complained;
    for (const std::string_view line : lines_of(output)) {
        const size_t found = line.find(place);
        if (found == std::string_view::npos || line.find("warning:") != std::string_view::npos)
            continue;
        uint32_t number = 0;
        const char* const from = line.data() + found + place.size();
        if (std::from_chars(from, line.data() + line.size(), number).ec == std::errc())
            complained.insert(number);
    }
    return complained;
}

}  // namespace zcrxlab
