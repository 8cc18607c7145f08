// Bounds of time in the sources of scenarios: each is scaled to the machine, or says why not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// Words of a line with a time that is the same on every machine, and why that is right.
struct FixedTime {
    std::string_view file;
    std::string_view words;
    std::string_view because;
};

// The times that may be fixed, in the whole tree.
std::span<const FixedTime> fixed_times();

// One sentence for each time in `content` that is written down and neither scaled nor fixed. Scaled
// is what stands in scaled(...) or within(...), and a constant that stands nowhere else.
std::vector<std::string> complaints_about_bounds(std::string_view file, std::string_view content,
                                                 std::span<const FixedTime> fixed);

// One sentence for each of `fixed` that lies in `file` and is not in `content` any more.
std::vector<std::string> complaints_about_fixed_times(std::string_view file,
                                                      std::string_view content,
                                                      std::span<const FixedTime> fixed);

}  // namespace zcrxlab
