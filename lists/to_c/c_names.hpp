// CNames: lists the names that no variable of a C file can have.
#pragma once

#include <set>
#include <string>

namespace zcrxlab {

// Names that a variable in main() of a file with this text cannot have.
std::set<std::string> taken_names_in(const std::string& text);

}  // namespace zcrxlab
