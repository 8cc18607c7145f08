// The part of the manual that is about NICs of this machine inside a guest.
#pragma once

#include <string>

namespace zcrxlab {

// What follows the options of "run"; empty for other commands.
std::string manual_of_cards(const std::string& command);

}  // namespace zcrxlab
