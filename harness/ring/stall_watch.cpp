// StallWatch: the same data in the same socket, entry after entry.
#include "harness/ring/stall_watch.hpp"

namespace zcrxlab {

bool StallWatch::stalled(uint32_t stream, uint64_t bytes, int queued, Clock::time_point now) {
    if (!moment_ || queued <= 0) {
        forget(stream);
        return false;
    }
    const auto [at, added] = seen_.try_emplace(stream, Seen{bytes, queued, now, 0});
    Seen& seen = at->second;
    // More data means another packet, which wakes the request once more.
    if (added || seen.bytes != bytes || seen.queued != queued) {
        seen = Seen{bytes, queued, now, 0};
        return false;
    }
    ++seen.entries;
    return seen.entries >= kEntries && now - seen.since >= *moment_;
}

}  // namespace zcrxlab
