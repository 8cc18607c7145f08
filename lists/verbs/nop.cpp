// nop: submits NOPs, whose CQEs fill the CQ.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kNopParameters[] = {{.name = "count",
                                         .kind = ValueKind::kNumber,
                                         .sentence = "how many",
                                         .fallback = "1",
                                         .least = 1,
                                         .most = 4096}};

constinit const VerbRow kNopVerb = {
    .form = {.word = "nop",
             .subject = Thing::kRing,
             .sentence = "submits NOPs, whose CQEs of 16 or 32 bytes stay until somebody reads",
             .parameters = kNopParameters},
    .player = &Player::submit_nops,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"nop"});
        return c_line("submit_nops",
                      {c.variable(action.name), std::to_string(action.number("count"))});
    },
    .from_trace = NotBecause{"a NOP is no event"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kAny, "Part::fill_cq(): often so many that few slots are free"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
