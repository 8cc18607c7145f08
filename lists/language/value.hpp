// Values: turns the values of arguments into text and back: numbers with sizes, words, errnos,
// names.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/result.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// EINVAL with what would be right.
Result<Argument> argument_from_text(const Parameter& parameter, std::string_view text);
std::string to_text(const Argument& argument);
// Letters, digits and _, beginning with a letter; at most 32.
bool is_name(std::string_view text);

}  // namespace zcrxlab
