// zcrxlab shrink: makes a list that fails as small as it can be.
#pragma once

#include <string>

#include "lists/shrink/shrinker.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// ShrinkOptions are in lists/shrink, with the search that they describe.

void add_shrink_options(CLI::App& app, ShrinkOptions& options);
std::string shrink_manual();
// 1 if the list does not fail at all.
int shrink_command(const ShrinkOptions& options);

}  // namespace zcrxlab
