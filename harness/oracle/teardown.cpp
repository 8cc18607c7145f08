// I6: after close the provider leaves the queue in bounded time, and counters return to where they
// were.
#include <fmt/format.h>

#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

// |after - before| without overflow.
uint64_t difference(int64_t before, int64_t after) {
    const auto a = static_cast<uint64_t>(before);
    const auto b = static_cast<uint64_t>(after);
    return after >= before ? b - a : a - b;
}

bool released_after(Events events, size_t index, const IfqRegistered& ifq) {
    for (size_t i = index + 1; i < events.size(); ++i)
        if (const auto* e = std::get_if<ProviderReleased>(&events[i].body))
            if (e->interface == ifq.interface && e->queue == ifq.queue) return true;
    return false;
}

}  // namespace

std::vector<Violation> check_teardown(Events events) {
    Findings findings(Invariant::kI6);
    each_of<IfqRegistered>(events, [&](size_t index, const IfqRegistered& e) {
        if (!e.interface.empty() && !released_after(events, index, e))
            findings.add(index, fmt::format("nothing says that the provider of ifq {} ever left {} "
                                            "queue {} (no ProviderReleased)",
                                            e.ifq, e.interface, e.queue));
    });
    each_of<ProviderReleased>(events, [&](size_t index, const ProviderReleased& e) {
        if (!e.unknown.empty())
            findings.add(index, fmt::format("whether the provider has left {} queue {} could not "
                                            "be asked within {:.0f} ms after the close: {}",
                                            e.interface, e.queue, e.milliseconds, e.unknown));
        else if (!e.released)
            findings.add(index,
                         fmt::format("{} queue {} still has its provider {:.0f} ms after the "
                                     "close; {:.0f} ms are promised",
                                     e.interface, e.queue, e.milliseconds, e.bound_milliseconds));
        else if (!(e.milliseconds <= e.bound_milliseconds))
            findings.add(index,
                         fmt::format("the provider left {} queue {} only {:.0f} ms after the "
                                     "close; {:.0f} ms are promised",
                                     e.interface, e.queue, e.milliseconds, e.bound_milliseconds));
    });
    each_of<CounterCompared>(events, [&](size_t index, const CounterCompared& e) {
        if (!e.before) return;  // it is none of this machine's, or whoever reads it may not
        if (!e.after)
            return findings.add(index, fmt::format("{} was {} before and cannot be read after: {}",
                                                   e.name, *e.before, e.unread));
        const uint64_t differs = difference(*e.before, *e.after);
        if (e.allowed < 0 || differs > static_cast<uint64_t>(e.allowed))
            findings.add(index,
                         fmt::format("{} was {} before and is {} after: it differs by {}, at "
                                     "most {} is allowed",
                                     e.name, *e.before, *e.after, differs, e.allowed));
    });
    return findings.take();
}

}  // namespace zcrxlab
