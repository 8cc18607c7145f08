// flush: makes the kernel take what lies in the refill ring.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kFlushParameters[] = {kExpect};

constinit const VerbRow kFlushVerb = {
    .form = {.word = "flush",
             .subject = Thing::kIfq,
             .sentence = "ZCRX_CTRL_FLUSH_RQ",
             .parameters = kFlushParameters},
    .player = &Player::flush,
    .needs = [](const Action&) -> std::vector<Need> { return {Need::kFlushRq}; },
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need_control(1);
        return c_line("promised",
                      {"\"ZCRX_CTRL_FLUSH_RQ\"", c_call("flush", {c.variable(action.name)}),
                       errno_text(action.expected())});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kWithout, "Part::flush_all(): before buffers are counted"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
