// CNames: words of an exported C file.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/actions/list.hpp"

namespace zcrxlab {

// Names that a variable in main() of a file with this text cannot have.
std::set<std::string> taken_names_in(const std::string& text);

// The constant; "-1" for kAnyErrno, "0" for success.
std::string errno_text(int code);

// "bad_area" as the constant BAD_AREA.
std::string in_capitals(std::string word);

// Of a promise that may be left out; "-1": it does not matter.
std::string number_or_none(const Action& action, std::string_view parameter);

}  // namespace zcrxlab
