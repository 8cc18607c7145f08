// Child: a process in a process group of its own, for a bounded time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "scenarios/runner/zygote.hpp"

namespace zcrxlab {

struct ChildEnd {
    enum class How {
        kExited,     // `code` is its exit code
        kSignalled,  // `code` is the signal
        kTimedOut,   // killed at the bound
        kStuck,      // killed at the bound, and still there 5 seconds (scaled) later
    };
    How how = How::kExited;
    int code = 0;
    double seconds = 0;
    uint64_t ended_at = 0;  // CLOCK_MONOTONIC in nanoseconds
    // kTimedOut and kStuck: what its threads were doing just before they were killed.
    std::vector<std::string> doing;
    std::string output;  // the last 16 KiB of stdout and stderr
};

struct ChildOrder {
    std::string what;    // what it is to do, as the zygote understands it
    int inherited = -1;  // descriptor to leave open in the child; -1: none
    std::chrono::milliseconds bound{30000};
    // Sees output as it comes; may be empty.
    std::function<void(std::string_view)> on_output;
};

// Starts the child, waits for it and ends what is left of its process group. The errno of fork,
// pipe or pidfd_open where it could not be started.
Result<ChildEnd> run_child(Zygote& zygote, const ChildOrder& order);

// "was killed by signal 11 (Segmentation fault)", "exited with code 3" ...; for people.
std::string describe(const ChildEnd& end, std::chrono::milliseconds bound);

}  // namespace zcrxlab
