// One: runs a single scenario in this process, as a GoogleTest test, and leaves it on a tape.
#pragma once

#include <string>

#include "scenarios/framework/tape.hpp"

namespace zcrxlab {

// What is the same for every scenario; once, in a process of which those that run one are copies.
void prepare_for_one();

// Behind prepare_for_one(). The exit code: 0 if its own checks passed or it was skipped, 1 if they
// failed, 64 if there is no scenario of this name.
int run_one(const std::string& name, Tape& tape);

}  // namespace zcrxlab
