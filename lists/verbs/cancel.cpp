// cancel: cancels the request of a stream.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kCancelParameters[] = {kWithin};

constinit const VerbRow kCancelVerb = {
    .form = {.word = "cancel",
             .subject = Thing::kStream,
             .sentence = "cancels the request and waits for its final CQE",
             .parameters = kCancelParameters},
    .player = &Player::cancel,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"cancel"});
        return c_line("stream_cancel",
                      {c.variable(action.name), std::to_string(action.number("within"))});
    },
    .from_trace = FromTrace{.events = "CqeSeen"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kAny, "Part::cancel(): of a request that has no limit to reach"},
    .shrinker = NotBecause{"a wait that gives up sooner fails on a good kernel, too"},
};

}  // namespace zcrxlab
