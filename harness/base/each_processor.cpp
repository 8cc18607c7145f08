// Moves this thread from processor to processor.
#include "harness/base/each_processor.hpp"

#include <sched.h>

namespace zcrxlab {

void on_each_processor(const std::function<void()>& body) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed)) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        if (::sched_setaffinity(0, sizeof one, &one) == 0) body();
    }
    ::sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace zcrxlab
