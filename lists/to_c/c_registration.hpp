// CRegistration: writes a registration in C.
#pragma once

#include <string>

#include "lists/language/list.hpp"

namespace zcrxlab {

// The initializers of struct ifq_options, without the function below.
std::string registration_options(const Action& action);

// A function that writes over fields of the structures; empty if none is to be. And its name.
std::string bend_function(const Action& action);
std::string bend_name(const Action& action);

// Of register and add_area: the constant for the memory, and whether its pages are to be huge.
std::string memory_constant(const Action& action);
bool wants_huge_pages(const Action& action);

}  // namespace zcrxlab
