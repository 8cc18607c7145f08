// rescan: brings the NIC back.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kRescanVerb = {
    .form = {.word = "rescan",
             .sentence = "the NIC comes back, set up as it was; the end does it otherwise"},
    .player = &Player::rescan,
    .needs = [](const Action&) -> std::vector<Need> { return {Need::kDevice}; },
    .in_c = [](CWriter& c, const Action&) -> Result<std::string> {
        c.need({"device", "nic_remove"});
        c.bring_nic_back();
        return c_line("nic_rescan", {});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = NotBecause{"its lists take no NIC away"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
