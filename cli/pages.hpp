// Text that is made from the table of commands and kept in the tree; "ci/style BUILD docs"
// compares.
#pragma once

#include <span>
#include <string>

#include "cli/command.hpp"

namespace zcrxlab {

// A line for each: four spaces, its name, its sentence. cli/commands.txt, which vm/zcrxlab shows as
// long as nothing is built.
std::string list_of_commands(std::span<const Command> table);

// The table of README.md, between <!-- commands: ... --> and <!-- /commands -->.
std::string readme_table(std::span<const Command> table);

}  // namespace zcrxlab
