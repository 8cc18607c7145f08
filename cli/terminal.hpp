// The width of the terminal that a person reads.
#pragma once

#include <cstddef>

namespace zcrxlab {

// Its columns; 100 where standard output is no terminal. At least 40.
size_t terminal_width();

}  // namespace zcrxlab
