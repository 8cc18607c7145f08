// Compares clocks, and what the process table says.
#include "vm/watch/host_pause.hpp"

#include <fmt/format.h>

#include <ctime>

#include "harness/base/file.hpp"

namespace zcrxlab {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

nanoseconds read_clock(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

}  // namespace

std::string text_of(const HostPause& pause) {
    return fmt::format("{} for {:.1f} s", pause.what,
                       std::chrono::duration<double>(pause.length).count());
}

HostClocks host_clocks() {
    return {std::chrono::steady_clock::now(),
            read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC)};
}

std::optional<HostPause> pause_between(const HostClocks& before, const HostClocks& after,
                                       milliseconds longest) {
    const auto slept = duration_cast<milliseconds>(after.asleep - before.asleep);
    const auto late = duration_cast<milliseconds>(after.running - before.running) - longest;
    if (slept >= kShortestPause)
        return HostPause{before.running, after.running, slept, "this machine was asleep"};
    if (late >= kShortestPause)
        return HostPause{before.running, after.running, late,
                         "this machine, or zcrxlab alone, stood still"};
    return std::nullopt;
}

std::optional<HostPause> ProcessStops::look(bool stopped, HostPause::Time now) {
    std::optional<HostPause> pause;
    if (stopped_ && !stopped && running_) {
        const auto length = duration_cast<milliseconds>(now - *running_);
        if (length >= kShortestPause)
            pause = HostPause{*running_, now, length, name_ + " was stopped"};
    }
    stopped_ = stopped;
    if (!stopped) running_ = now;
    return pause;
}

bool is_stopped(int pid) {
    // "42 (name) T 1 ...", proc_pid_stat(5); the name may have brackets and spaces.
    const std::string stat = text_of_file("/proc/" + std::to_string(pid) + "/stat", 4096);
    const size_t end = stat.rfind(')');
    if (end == std::string::npos || end + 2 >= stat.size()) return false;
    const char state = stat[end + 2];
    return state == 'T' || state == 't';
}

}  // namespace zcrxlab
