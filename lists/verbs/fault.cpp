// fault: gives the emulated NIC a fault rule.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kFaultVerb = {
    .form = {.word = "fault",
             .text = true,
             .sentence = "gives the device a fault rule (JSON), until the end"},
    .player = &Player::inject,
    .needs = [](const Action&) -> std::vector<Need> {
        return {Need::kDevice, Need::kFaults};
    },
    .in_c = NotBecause{"only the emulated NIC injects faults"},
    .from_trace = FromTrace{.events = "FaultInjected"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kWith, "Part::inject(): one that TCP gets over, whatever it hits"},
    .shrinker = Simpler{.json = true},
};

}  // namespace zcrxlab
