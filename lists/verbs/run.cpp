// run: receives until it is quiet.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kRunParameters[] = {{.name = "quiet",
                                         .kind = ValueKind::kNumber,
                                         .sentence = "milliseconds",
                                         .fallback = "200",
                                         .least = 1,
                                         .most = 60'000}};

constinit const VerbRow kRunVerb = {
    .form = {.word = "run",
             .subject = Thing::kRing,
             .sentence = "receives until no CQE has come for a while",
             .parameters = kRunParameters},
    .player = &Player::run_until_quiet,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"run"});
        return c_line("run_until_quiet",
                      {c.variable(action.name), std::to_string(action.number("quiet"))});
    },
    .from_trace = NotBecause{"a trace has what was received, and a list waits for just that"},
    .fuzzer = NotBecause{"its lists wait for what must come, and silence promises nothing"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
