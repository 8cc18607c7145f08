// count: compares how many CQEs a stream had with a promise.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kCountParameters[] = {
    {.name = "requests", .kind = ValueKind::kNumber, .sentence = "that were submitted"},
    {.name = "finals", .kind = ValueKind::kNumber, .sentence = "final CQEs"},
    {.name = "least", .kind = ValueKind::kNumber, .sentence = "data CQEs, or more"},
    kWithin,
};

constinit const VerbRow kCountVerb = {
    .form = {.word = "count",
             .subject = Thing::kStream,
             .sentence = "receives until there are so many CQEs of its requests, and then there "
                         "must be no more",
             .parameters = kCountParameters},
    .player = &Player::count,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"count"});
        return c_line("count_cqes",
                      {c.variable(action.name), number_or_none(action, "requests"),
                       number_or_none(action, "finals"), std::to_string(action.number("least")),
                       std::to_string(action.number("within"))});
    },
    .from_trace = NotBecause{"a trace has what came, and not what was promised"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kWithout,
                       "Part::count(): where no request ends for want of a buffer or a slot"},
    .shrinker = NotBecause{"a promise of less fails on a good kernel, too"},
};

}  // namespace zcrxlab
