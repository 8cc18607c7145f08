// The times in the sources of scenarios that are the same on every machine, and why.
#include "tests/scenarios/chapters/bounds.hpp"

namespace zcrxlab {

namespace {

constexpr FixedTime kFixed[] = {
    {"scenarios/framework/scene.cpp", "kPause{", "between two looks at a condition"},
    {"scenarios/framework/scenario.hpp", "seconds time{60}",
     "a scenario's time, which is scaled by those who keep to it"},
    {"scenarios/framework/streams/receive_path.cpp", "soonest_retransmission",
     "how soon a peer sends again, not how long somebody waits"},
    {"scenarios/chapters/refill.cpp", "sleep_for(1ms)", "between two looks at a ring"},
    {"scenarios/chapters/refill.cpp", "sleep_for(2ms)", "before a request is armed again"},
    {"scenarios/chapters/refill.cpp", "run(20ms",
     "between two flushes, for as long as time is left"},
    {"scenarios/chapters/tcp.cpp", "run(20ms",
     "between two retransmissions, for as long as time is left"},
    {"scenarios/chapters/soak.cpp", "kPart = 5s", "for how long it begins rounds"},
};

}  // namespace

std::span<const FixedTime> fixed_times() {
    return kFixed;
}

}  // namespace zcrxlab
