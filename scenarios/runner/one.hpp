// One: runs a single scenario in this process, as a GoogleTest test, and leaves it on a tape.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "scenarios/framework/tape.hpp"

namespace zcrxlab {

class Scene;

// What is the same for every scenario; once, in a process of which those that run one are copies.
void prepare_for_one();

// Behind prepare_for_one(). The exit code: 0 if its own checks passed or it was skipped, 1 if they
// failed, 64 if there is no scenario of this name.
int run_one(const std::string& name, Tape& tape);

// For the body of a scenario: a child with a scene of its own, which writes onto the same tape and
// runs `body`. What it changes it undoes at its end; it exits with 0, or 1 if a check of its own
// failed. On an emulated NIC it has no control channel, of which there is one. -1 with errno where
// there can be no child.
pid_t fork_scene(const std::function<void(Scene&)>& body);

}  // namespace zcrxlab
