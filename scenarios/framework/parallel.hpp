// Parallel: a part of a scenario in several threads.
#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace zcrxlab {

// Runs work(0) ... work(count - 1) in a thread each, and waits for all of them.
inline void in_parallel(unsigned count, const std::function<void(unsigned)>& work) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (unsigned i = 0; i < count; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace zcrxlab
