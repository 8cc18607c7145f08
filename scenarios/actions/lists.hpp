// Lists: files with lists of actions as scenarios of the chapter "actions".
#pragma once

#include <string>

#include "harness/actions/list.hpp"
#include "scenarios/form/needs.hpp"

namespace zcrxlab {

// Adds each *.actions below a folder, or one file, as a scenario that is called as the file is.
// EINVAL names the file and the line that is wrong.
Result<void> add_action_lists(const std::string& path);

// What a list has to have: a kernel with what it uses, a NIC with faults where it injects some.
Needs needs_of(const ActionList& list);

}  // namespace zcrxlab
