// on_each_processor: for what depends on the processor that asks for it.
#pragma once

#include <functional>

namespace zcrxlab {

// Runs `body` on each processor that this thread may run on, one after the other, and then lets it
// run on all of these again. Leaves out those that it cannot get to.
void on_each_processor(const std::function<void()>& body);

}  // namespace zcrxlab
