// await: receives until the kernel tells an event.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kAwaitParameters[] = {{.name = "event",
                                           .kind = ValueKind::kWord,
                                           .sentence = "which",
                                           .fallback = "copy",
                                           .words = "alloc_fail|copy"},
                                          kWithin};

constinit const VerbRow kAwaitVerb = {
    .form = {.word = "await",
             .subject = Thing::kIfq,
             .sentence = "receives until an event is told",
             .parameters = kAwaitParameters},
    .player = &Player::await_event,
    .needs = needs_nothing,  // but an ifq with events, and for that "register" needs them
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"event"});
        return c_line("await_event",
                      {c.variable(action.name), action.word("event") == "copy" ? "1" : "0",
                       std::to_string(action.number("within"))});
    },
    // What is armed again has been told before.
    .from_trace = FromTrace{.events = "ActionDone"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kWithout, "Part::receive(): the first bytes, which are copied"},
    .shrinker = NotBecause{"a wait that gives up sooner fails on a good kernel, too"},
};

}  // namespace zcrxlab
