// policy: sets how the receiving loop gives buffers back and arms again.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kPolicyParameters[] = {
    {.name = "returns",
     .kind = ValueKind::kWord,
     .sentence = "when buffers go back",
     .fallback = "at_once",
     .words = "at_once|hold|reverse|never"},
    {.name = "hold",
     .kind = ValueKind::kNumber,
     .sentence = "CQEs held by hold and reverse",
     .fallback = "0",
     .most = 1U << 20},
    {.name = "rearm",
     .kind = ValueKind::kWord,
     .sentence = "arms again after -ENOSPC, -ENOMEM and a limit",
     .fallback = "yes",
     .words = "yes|no"},
};

constinit const VerbRow kPolicyVerb = {
    .form = {.word = "policy",
             .subject = Thing::kRing,
             .sentence = "what the receiving loop does from now on",
             .parameters = kPolicyParameters},
    .player = &Player::set_policy,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string field = "\t" + c.variable(action.name) + "->";
        return field + "returns = " + in_capitals(action.word("returns")) + ";\n" + field +
               "hold = " + std::to_string(action.number("hold")) + ";\n" + field +
               "rearm = " + (action.yes("rearm") ? "1" : "0") + ";\n";
    },
    .from_trace = FromTrace{.events = "CqeSeen", .noted = true},
    .fuzzer =
        ByFuzzer{
            ByFuzzer::Nic::kAny,
            "Part::set_policy() and exhaust(): no more is held than the stream can do without"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
