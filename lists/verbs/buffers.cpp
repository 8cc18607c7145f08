// buffers: compares where the buffers of an area are with a promise.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kBuffersParameters[] = {
    {.name = "held", .kind = ValueKind::kNumber, .sentence = "different buffers that the user has"},
    {.name = "entries",
     .kind = ValueKind::kNumber,
     .sentence = "of the refill ring that the kernel has not taken"},
};

constinit const VerbRow kBuffersVerb = {
    .form = {.word = "buffers",
             .subject = Thing::kIfq,
             .sentence = "compares what of the area is where; receives nothing",
             .parameters = kBuffersParameters},
    .player = &Player::compare_buffers,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"buffers"});
        return c_line("compare_buffers", {c.variable(action.name), number_or_none(action, "held"),
                                          number_or_none(action, "entries")});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kWithout, "Part::exhaust(): all are held, and then none"},
    .shrinker = NotBecause{"a promise of less fails on a good kernel, too"},
};

}  // namespace zcrxlab
