// arm: submits a request for zero-copy receive.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kArmParameters[] = {
    {.name = "limit",
     .kind = ValueKind::kNumber,
     .sentence = "sqe->len; 0 = none",
     .fallback = "0",
     .most = kMost32},
    yes_or_no("poll_first", "IORING_RECVSEND_POLL_FIRST"),
};

constinit const VerbRow kArmVerb = {
    .form = {.word = "arm",
             .subject = Thing::kStream,
             .sentence = "submits RECV_ZC, multishot",
             .parameters = kArmParameters},
    .player = &Player::arm,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        return c_line("stream_arm",
                      {c.variable(action.name), std::to_string(action.number("limit")),
                       action.yes("poll_first") ? "1" : "0"});
    },
    .from_trace = FromTrace{.events = "RequestSubmitted"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Part::arm(): some with a limit, some with poll_first"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
