// StallWatch: when it is sure that the kernel will not complete a request that could go on.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace zcrxlab {

// A stream has stalled where data waits in its socket, its request is armed, and the kernel was
// entered again and again without a CQE. The data arrived before; nothing but a wake-up that was
// lost can keep it there, and only another packet would bring it out. The clock alone proves
// nothing on a machine that is slow, so that both count: entries and time.
class StallWatch {
  public:
    using Clock = std::chrono::steady_clock;

    // The kernel must have been entered so often since the data was first seen.
    static constexpr uint32_t kEntries = 20;

    // `moment`: how long it must have lain there, too. Nothing: no stream ever counts as stalled.
    explicit StallWatch(std::optional<std::chrono::milliseconds> moment) : moment_(moment) {}

    // An armed stream after the kernel was entered without a CQE: it has received `bytes` so far,
    // and `queued` bytes wait in its socket (-1: it cannot be asked). Whether it has stalled.
    bool stalled(uint32_t stream, uint64_t bytes, int queued, Clock::time_point now);
    // The stream's request is not armed, or nobody has looked for a while.
    void forget(uint32_t stream) { seen_.erase(stream); }
    void forget_all() { seen_.clear(); }
    bool watches() const { return moment_.has_value(); }

  private:
    struct Seen {
        uint64_t bytes = 0;
        int queued = 0;
        Clock::time_point since;
        uint32_t entries = 0;
    };
    std::optional<std::chrono::milliseconds> moment_;
    std::map<uint32_t, Seen> seen_;  // by stream
};

}  // namespace zcrxlab
