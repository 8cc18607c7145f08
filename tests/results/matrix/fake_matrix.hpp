// A small matrix with a run of every kind.
#pragma once

#include "results/matrix/matrix.hpp"

namespace zcrxlab {

// Text that would break a page, a table or a terminal if it were taken as it is.
inline constexpr const char* kHostileText =
    "</script><script>document.title='broken'</script><!-- <b>| `x` \x1b[31m \xff";

// 7.2 on gve ran: receive passed (with one skipped), tcp has one known, cqe32 failed with
// kHostileText; it lacks the feature add_area. 7.3 on gve panicked in the midst of tcp. 6.16 on gve
// is not supported, 7.3 on nodev could not be started, 7.2 on nodev is only planned.
Matrix fake_matrix();

}  // namespace zcrxlab
