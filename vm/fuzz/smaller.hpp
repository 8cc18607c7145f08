// Smaller: lists that are a little simpler than one that fails, for whoever tries which of them
// still fail in the same way.
#pragma once

#include <vector>

#include "harness/actions/list.hpp"

namespace zcrxlab {

// Each without one run of `length` actions, and of what depends on the things that these made. No
// two are equal, none is the list itself.
std::vector<ActionList> without_parts(const ActionList& list, size_t length);

// Each with one argument simpler: left out, or a smaller number; with one thread fewer.
std::vector<ActionList> simpler_arguments(const ActionList& list);

// How large a list is, for comparing: actions first, then arguments, then digits.
size_t weight_of(const ActionList& list);

}  // namespace zcrxlab
