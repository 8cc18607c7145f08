// Verbs: gives the language the form of each verb. Each verb is a file in lists/verbs.
#pragma once

#include <vector>

#include "lists/language/form.hpp"

namespace zcrxlab {

// One for each Verb, in their order; lists/verbs/row/table.cpp has them.
std::vector<VerbForm> make_verbs();

}  // namespace zcrxlab
