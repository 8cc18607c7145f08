// One: runs a single scenario in this process, as a GoogleTest test, and leaves it on a tape.
#pragma once

#include <string>

#include "scenarios/runner/tape.hpp"

namespace zcrxlab {

// The exit code: 0 if its own checks passed or it was skipped, 1 if they failed, 64 if there is no
// scenario of this name.
int run_one(const std::string& name, Tape& tape);

}  // namespace zcrxlab
