// reset: makes the driver reset its device.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kResetVerb = {
    .form = {.word = "reset",
             .sentence = "the device says that it is broken, and its driver resets it"},
    .player = &Player::reset_device,
    .needs = [](const Action&) -> std::vector<Need> {
        return {Need::kDevice, Need::kFaults, Need::kOutages};
    },
    .in_c = [](CWriter& c, const Action&) -> Result<std::string> {
        c.need({"device", "nic_request", "nic_reset"});
        return c_line("nic_reset", {});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = NotBecause{"its model does not know what becomes of streams over a reset"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
