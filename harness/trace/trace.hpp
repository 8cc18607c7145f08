// Trace: the events of one test, in order, and their JSON form.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// Takes events from any thread.
class Trace {
  public:
    void add(EventBody body);
    void add(Event event);
    // Adds what `read` makes, while nobody else can add: for state that other threads change and
    // tell, so that the event counts each change that the trace has so far. It must not add.
    void add_read(const std::function<EventBody()>& read);
    // Hands each event that is added from now on to `sink` as well, in order and before add()
    // returns, so that a process that is killed leaves its trace behind. The sink must not add.
    void forward_to(std::function<void(const Event&)> sink);
    // Call only when no thread adds any more.
    const std::vector<Event>& events() const { return events_; }
    // Those of this moment, while threads add more.
    std::vector<Event> events_so_far() const;

  private:
    void add_locked(EventBody body);

    mutable std::mutex mutex_;
    std::vector<Event> events_;
    std::function<void(const Event&)> sink_;
};

// One event as one line of JSON without a newline: {"t": ns, "event": "CqeSeen", ...}.
std::string to_json(const Event& event);
// EINVAL with what is missing or wrong.
Result<Event> event_from_json(std::string_view line);
// One event as a sentence for people.
std::string describe(const Event& event);

}  // namespace zcrxlab
