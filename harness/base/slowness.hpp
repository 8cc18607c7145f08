// Slowness: by how much this machine and kernel are slower than those that bounds of time are made
// for.
#pragma once

#include <chrono>

namespace zcrxlab {

// The factor of this process, from the environment (ZCRXLAB_SLOWNESS); 1 where nobody says.
double slowness();

// A bound as it is on this machine and kernel.
std::chrono::milliseconds scaled(std::chrono::milliseconds bound);

}  // namespace zcrxlab
