// A part of a scenario in another process. The runner defines it.
#pragma once

#include <sys/types.h>

#include <functional>

namespace zcrxlab {

class Scene;

// For the body of a scenario: a child with a scene of its own, which writes onto the same tape and
// runs `body`. What it changes it undoes at its end; it exits with 0, or 1 if a check of its own
// failed. On an emulated NIC it has no control channel, of which there is one. -1 with errno where
// there can be no child.
pid_t fork_scene(const std::function<void(Scene&)>& body);

}  // namespace zcrxlab
