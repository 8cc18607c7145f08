// urgent: makes the peer send one byte of urgent data.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kUrgentVerb = {
    .form = {.word = "urgent",
             .subject = Thing::kStream,
             .sentence = "the peer sends one byte more, as urgent data, which is part of the "
                         "stream (SO_OOBINLINE)"},
    .player = &Player::send_urgent,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"urgent"});
        return c_line("stream_urgent", {c.variable(action.name)});
    },
    .from_trace =
        NotBecause{"a trace has how many bytes the peer sent, and not which of them was urgent"},
    .fuzzer = NotBecause{"the model knows only bytes that come in their place in the stream"},
    .shrinker = Simpler{.sent = [](const Action&) -> uint64_t { return 1; }},
};

}  // namespace zcrxlab
