// A report of a small source, with everything that a real one has.
#pragma once

#include "results/coverage/report.hpp"

namespace zcrxlab {

// In "io_uring/zcrx.c": `taken` with a branch never taken, `half` with one of two lines never run
// and a reason for it, `never`, and texts that would be markup; "selftest" and "liburing" beside.
CoverageReport fake_report();

}  // namespace zcrxlab
