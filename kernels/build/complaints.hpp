// Where in a source a compiler complains.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace zcrxlab {

// The lines of the source called `name`, "io_uring/zcrx.c", that a compiler complains about, or
// that it names as the place of what it complains about (gcc and clang: "PATH:LINE:COLUMN: error:
// ..."). A warning is no complaint.
std::set<uint32_t> lines_complained_of(std::string_view output, std::string_view name);

}  // namespace zcrxlab
