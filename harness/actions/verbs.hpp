// Verbs: what can be done in a list of actions, as data.
#pragma once

#include <vector>

#include "harness/actions/form.hpp"

namespace zcrxlab {

// One for each Verb, in their order.
std::vector<VerbForm> make_verbs();

}  // namespace zcrxlab
