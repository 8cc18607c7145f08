// HostPause: a time in which this machine, or a process of a virtual machine, stood still, as this
// machine's own clocks and process table tell.
//
// A guest that was stopped for half a minute finds that its CPUs have stalled and its peers have
// timed out. That says nothing about its kernel.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace zcrxlab {

struct HostPause {
    using Time = std::chrono::steady_clock::time_point;
    Time from, to;
    std::chrono::milliseconds length;  // more than from `from` to `to` if this machine slept
    std::string what;                  // "QEMU was stopped"
};

// Shorter ones happen on any busy machine, and every bound of a scenario is longer.
inline constexpr std::chrono::milliseconds kShortestPause{2'000};

// "QEMU was stopped for 30.1 s"
std::string text_of(const HostPause& pause);

struct HostClocks {
    HostPause::Time running;          // stops while this machine sleeps
    std::chrono::nanoseconds asleep;  // how long it has slept since it booted
};
HostClocks host_clocks();

// Between `before` and `after`, we waited, for `longest` at most, and did little else: if it took
// much longer, or this machine has slept, it stood still.
std::optional<HostPause> pause_between(const HostClocks& before, const HostClocks& after,
                                       std::chrono::milliseconds longest);

// One process, looked at again and again.
class ProcessStops {
  public:
    explicit ProcessStops(std::string name) : name_(std::move(name)) {}

    // `stopped`: whether it is now. A pause that has just ended, if it was long enough.
    std::optional<HostPause> look(bool stopped, HostPause::Time now);

  private:
    std::string name_;
    std::optional<HostPause::Time> running_;  // when it was last seen so
    bool stopped_ = false;
};

// Whether a signal or a debugger has stopped it, by /proc/PID/stat.
bool is_stopped(int pid);

}  // namespace zcrxlab
