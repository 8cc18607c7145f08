// pause: does nothing for a while.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kPauseParameters[] = {{.name = "ms",
                                           .kind = ValueKind::kNumber,
                                           .sentence = "milliseconds",
                                           .fallback = "50",
                                           .least = 1,
                                           .most = 60'000}};

constinit const VerbRow kPauseVerb = {
    .form = {.word = "pause",
             .sentence = "does nothing for a while",
             .parameters = kPauseParameters},
    .player = &Player::pause,
    .needs = needs_nothing,
    .in_c = [](CWriter&, const Action& action) -> Result<std::string> {
        return c_line("usleep", {std::to_string(action.number("ms")) + "000"});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::step() and finish(): some milliseconds, for what is under way"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
