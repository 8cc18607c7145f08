// remove: takes the NIC away from under the rings.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kRemoveParameters[] = {
    {.name = "how",
     .kind = ValueKind::kWord,
     .sentence = "off the PCI bus, or its driver lets go of it",
     .fallback = "device",
     .words = "device|driver"}};

constinit const VerbRow kRemoveVerb = {
    .form = {.word = "remove",
             .sentence = "takes the NIC away from under the rings",
             .parameters = kRemoveParameters},
    .player = &Player::remove_device,
    .needs = [](const Action& action) -> std::vector<Need> {
        // Nobody's real NIC is taken away.
        if (action.word("how") == "device")
            return {Need::kDevice, Need::kFlowRules, Need::kEmulated};
        return {Need::kDevice, Need::kFlowRules, Need::kOutages};
    },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"device", "nic_remove"});
        return c_line("nic_remove", {action.word("how") == "device" ? "1" : "0"});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = NotBecause{"its model does not know what becomes of streams whose NIC goes"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
