// capacity: counts the buffers that an ifq can still give.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kCapacityVerb = {
    .form =
        {.word = "capacity",
         .subject = Thing::kIfq,
         .sentence =
             "counts the buffers that can be had, over a stream of its own: all, and none twice"},
    .player = &Player::count_capacity,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"capacity"});
        return c_line("capacity", {c.variable(action.name)});
    },
    .from_trace = FromTrace{.events = "CapacityMeasured"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kWithout, "Part::count_buffers(): of an area that is not large"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
