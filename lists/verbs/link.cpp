// link: takes the link away, or gives it back.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kLinkParameters[] = {
    {.name = "up", .kind = ValueKind::kWord, .sentence = "", .words = "yes|no", .required = true}};

constinit const VerbRow kLinkVerb = {
    .form = {.word = "link",
             .sentence = "takes the link away, or gives it back",
             .parameters = kLinkParameters},
    .player = &Player::switch_link,
    .needs = [](const Action&) -> std::vector<Need> {
        return {Need::kDevice, Need::kFaults, Need::kOutages};
    },
    .in_c = NotBecause{"only the emulated NIC loses its link at command"},
    .from_trace = FromTrace{.noted = true},
    .fuzzer = NotBecause{"nobody promises when TCP sends again, and its lists wait for that"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
