// A queue that goes with packets in its completion ring.
#pragma once

#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// Closes the ring of a queue whose driver has not read its newest packets, and receives on a new
// ring of that queue. Fails if the interface loses its carrier more often than without such
// packets.
void close_with_unread_packets(Scene& scene);

}  // namespace zcrxlab
