// Lists: makes a scenario of the chapter "actions" of each file with a list of actions.
#pragma once

#include <string>

#include "lists/language/list.hpp"
#include "scenarios/framework/needs.hpp"

namespace zcrxlab {

// Adds each *.actions below a folder, or one file, as a scenario that is called as the file is.
// EINVAL names the file and the line that is wrong.
Result<void> add_action_lists(const std::string& path);

// What a list has to have: a kernel with what it uses, a NIC with faults where it injects some.
Needs needs_of(const ActionList& list);

}  // namespace zcrxlab
