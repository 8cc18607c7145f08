// The interface under test goes down, and comes up again.
#pragma once

#include <functional>

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Takes it down, calls `then`, and takes it up again; the end of the scenario does that, if `then`
// ends it.
void while_down(Scene& scene, const std::function<void()>& then);
// The same for a change that a driver takes only then: what undoes it is called so, too.
void change_while_down(Scene& scene, const std::function<void()>& change);

}  // namespace zcrxlab
