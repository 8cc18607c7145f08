// wait: receives until the stream has come so far.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kWaitParameters[] = {
    {.name = "bytes",
     .kind = ValueKind::kNumber,
     .sentence = "so many were received in all",
     .most = kMostBytes},
    {.name = "queued",
     .kind = ValueKind::kNumber,
     .sentence = "so many lie in the socket, which gets room for them; reads no CQE",
     .most = 64U << 20},
    {.name = "final",
     .kind = ValueKind::kErrno,
     .sentence = "the request has ended, like this; success = EOF or limit"},
    yes_or_no("eof", "the stream has ended with every byte that was sent"),
    kWithin,
};

constinit const VerbRow kWaitVerb = {
    .form = {.word = "wait",
             .subject = Thing::kStream,
             .sentence = "receives until all that is named here holds, or fails",
             .parameters = kWaitParameters},
    .player = &Player::wait,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string stream = c.variable(action.name);
        const std::string within = std::to_string(action.number("within"));
        std::string text;
        if (action.has("queued")) {
            c.need({"queued"});
            text = c_line("wait_queued", {stream, std::to_string(action.number("queued")), within});
        }
        if (!action.has("bytes") && !action.has("final") && !action.yes("eof")) return text;
        const Result<int> code = errno_from_name(action.word("final"));
        const std::string final = !action.has("final")          ? "NONE"
                                  : !code || *code == kAnyErrno ? "ANY"
                                  : *code == 0                  ? "0"
                                                                : "-" + errno_text(*code);
        return text + c_line("stream_wait", {stream, std::to_string(action.number("bytes")), final,
                                             action.yes("eof") ? "1" : "0", within});
    },
    .from_trace = FromTrace{.events = "CqeSeen RequestSubmitted", .noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::receive(), burst(), exhaust() and finish(): for what must come"},
    .shrinker = Simpler{.numbers = true, .at_most_sent = "bytes queued"},
};

}  // namespace zcrxlab
