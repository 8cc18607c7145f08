// Changes that a driver takes only while its interface is down.
#pragma once

#include <functional>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Takes the interface under test down, calls `change`, and takes it up again; so does the end of
// the scenario with what undoes the change.
void change_while_down(Scene& scene, const std::function<void()>& change);

}  // namespace zcrxlab
