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
    {"scenarios/runner/runner.hpp", "kTeardownBound{5000}",
     "what I6 promises, which the runner scales"},
    {"scenarios/runner/runner.cpp", "pause", "between two looks at a condition"},
    {"scenarios/runner/kernel_log.cpp", "sleep_for(1ms)", "between two looks at the log"},
    {"scenarios/runner/kernel_log.cpp", "kWaitsForTheRest", "scaled where it is waited for"},
    {"scenarios/runner/child.hpp", "bound{30000}", "of an order that says nothing else"},
    {"scenarios/runner/feature_probe.cpp", "sleep_for", "between two looks at a counter"},
    {"scenarios/runner/leak_detector.hpp", "kOldEnough{5500}",
     "how old memory has to be before the kernel's detector looks at it"},
    {"harness/net/tcp.hpp", "soonest_retransmission",
     "how soon a peer sends again, not how long somebody waits"},
    {"harness/net/provider.cpp", "pause", "between two looks at a queue"},
    {"harness/net/peer.cpp", "kGlanceMilliseconds", "between two looks at whether to go on"},
    {"harness/targets/control_channel.hpp", "patience", "scaled where it is waited for"},
    {"harness/targets/control_channel.hpp", "timeout{10000}", "scaled where it is waited for"},
    {"scenarios/chapters/teardown.cpp", "kPoolIsLookedAfter",
     "how long the kernel lets a page pool wait before it looks after it"},
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
