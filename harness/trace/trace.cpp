// Collects events from any thread.
#include "harness/trace/trace.hpp"

#include <time.h>
#include <unistd.h>

#include <utility>

namespace zcrxlab {

namespace {

uint64_t monotonic_nanoseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

void Trace::add(EventBody body) {
    const std::lock_guard lock(mutex_);
    add_locked(std::move(body));
}

void Trace::add_read(const std::function<EventBody()>& read) {
    const std::lock_guard lock(mutex_);
    add_locked(read());
}

void Trace::add_locked(EventBody body) {
    // The clock is read under the lock so that times never go back along the trace.
    events_.push_back(
        {monotonic_nanoseconds(), std::move(body), static_cast<uint32_t>(::gettid())});
    if (sink_) sink_(events_.back());
}

void Trace::add(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    if (sink_) sink_(events_.back());
}

std::vector<Event> Trace::events_so_far() const {
    const std::lock_guard lock(mutex_);
    return events_;
}

void Trace::forward_to(std::function<void(const Event&)> sink) {
    const std::lock_guard lock(mutex_);
    sink_ = std::move(sink);
}

}  // namespace zcrxlab
