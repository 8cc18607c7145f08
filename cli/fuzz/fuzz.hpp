// zcrxlab fuzz: runs random lists of actions, VM after VM, and keeps those that fail.
#pragma once

#include <string>

#include "lists/fuzz/fuzz_session.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

// FuzzOptions are in lists/fuzz, with the session that they describe.

void add_fuzz_options(CLI::App& app, FuzzOptions& options);
std::string fuzz_manual();
// 1 if a list failed.
int fuzz_command(const FuzzOptions& options);

}  // namespace zcrxlab
