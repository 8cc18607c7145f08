// close: closes a ring, and with it its ifqs and streams.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kCloseVerb = {
    .form = {.word = "close",
             .subject = Thing::kRing,
             .sentence = "closes a ring with all of its ifqs and streams"},
    .player = &Player::close,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"close"});
        return c_line("ring_close", {c.variable(action.name), "LEAVE"});
    },
    .from_trace = FromTrace{.events = "RingClosed", .noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::make_first() and Model::add_heir(): the first thread's ring"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
