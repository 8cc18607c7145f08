// Smaller: makes lists that are a little simpler than one that fails. The caller tries which of
// them still fail in the same way.
#pragma once

#include <vector>

#include "lists/language/list.hpp"

namespace zcrxlab {

// Each without one run of `length` actions, and of what depends on the things that these made. No
// two are equal, none is the list itself.
std::vector<ActionList> without_parts(const ActionList& list, size_t length);

// Each with something simpler: every argument that may be left out is, of one action or of all; one
// argument is left out, or a smaller number; a fault rule without one of its fields; one thread
// fewer.
std::vector<ActionList> simpler_arguments(const ActionList& list);

// All that these candidates have simpler than `list`, at once; `list` itself if they have nothing.
ActionList merged(const ActionList& list, const std::vector<ActionList>& candidates);

// The same list, whose waits give up after `milliseconds`, for trying much in little time. Those
// that say so themselves stay as they are.
ActionList hurried(const ActionList& list, uint64_t milliseconds);

// How large a list is, for comparing: actions first, then arguments, then digits.
size_t weight_of(const ActionList& list);

}  // namespace zcrxlab
