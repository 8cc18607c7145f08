// events: arms an event again.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kEventsParameters[] = {{.name = "arm",
                                            .kind = ValueKind::kWord,
                                            .sentence = "which",
                                            .fallback = "copy",
                                            .words = "alloc_fail|copy"},
                                           kExpect};

constinit const VerbRow kEventsVerb = {
    .form = {.word = "events",
             .subject = Thing::kIfq,
             .sentence = "ZCRX_CTRL_ARM_EVENT",
             .parameters = kEventsParameters},
    .player = &Player::arm_event,
    .needs = needs_nothing,  // but an ifq with events, and for that "register" needs them
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"event"});
        c.need_control(3);
        return c_line("arm_event",
                      {c.variable(action.name), action.word("arm") == "copy" ? "1" : "0",
                       errno_text(action.expected())});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kWithout,
                       "Part::arm_event(): one that was told, or one that was not and is refused"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
