// The parts of the manual that are about lists of actions.
#pragma once

#include <string>

namespace zcrxlab {

// What follows the options of "run", "repro", "fuzz" and "shrink"; empty for other commands.
std::string manual_of_actions(const std::string& command);

}  // namespace zcrxlab
