// Reach: collects which ways through the kernel's code were taken, from the counters of gcov.
//
// A way is an arc between two pieces of a function. The counters alone say which arcs were taken,
// without the kernel's notes, so that this can be asked after every list.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// One arc, by a number that is its own: of the object's name, the function, and its place there.
using Arc = uint64_t;

// The arcs of a .gcda file that were counted at all. `object` is its path in the build. Written by
// gcc 4.7 to 12 and later (kernel/gcov/gcc_4_7.c). EPROTO if it is no such file, or ends too early.
Result<std::vector<Arc>> arcs_in(std::string_view object, std::string_view gcda);

// All that was reached, by whomever.
class Reach {
  public:
    // How many of these are new; they count as reached from now on.
    size_t add(const std::vector<Arc>& arcs);
    size_t size() const { return arcs_.size(); }

  private:
    std::set<Arc> arcs_;
};

}  // namespace zcrxlab
