// Clocks: the wire's capture and the device's log, dealt out to scenarios and put on their clock.
//
// They have the host's clocks, the trace has the guest's, and no two clocks run alike. Of both it
// is known that a cause comes before its effect: a SYN before its connection is open, a stream's
// first segment before its first CQE. The latest offset that breaks none of these is used, for each
// scenario on its own, so that what is shown is late by the fastest way through the guest, about a
// millisecond under emulation.
#pragma once

#include <cstdint>
#include <vector>

#include "results/timeline/recording.hpp"
#include "results/timeline/write_times.hpp"

namespace zcrxlab {

// Times are nanoseconds of the guest's CLOCK_MONOTONIC.
struct TimedFrame {
    int64_t at = 0;
    const Frame* frame = nullptr;
};
struct TimedLine {
    int64_t at = 0;
    const DeviceLine* line = nullptr;
};
struct Surroundings {
    std::vector<TimedFrame> frames = {};
    std::vector<TimedLine> lines = {};
};

// For each test of the recording what happened around it, from the end of the one before it. Empty
// where no connection tells how the clocks differ, or there is no capture.
std::vector<Surroundings> surroundings_of(const Recording& recording);

}  // namespace zcrxlab
