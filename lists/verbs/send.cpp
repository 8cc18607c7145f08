// send: makes the peer send more bytes of a stream.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kSendParameters[] = {
    {.name = "bytes",
     .kind = ValueKind::kNumber,
     .sentence = "how many",
     .least = 1,
     .most = kMostBytes,
     .required = true},
    {.name = "cut",
     .kind = ValueKind::kNumbers,
     .sentence = "bytes of each write, used in turn",
     .fallback = "64KiB",
     .least = 1,
     .most = 16U << 20},
};

constinit const VerbRow kSendVerb = {
    .form = {.word = "send",
             .subject = Thing::kStream,
             .any_thread = true,
             .sentence = "the peer sends so many bytes more, in a thread of its own",
             .parameters = kSendParameters},
    .player = &Player::send,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        std::string cuts;
        for (const uint64_t cut : action.numbers("cut")) cuts += std::to_string(cut) + ", ";
        return c_line("stream_send",
                      {c.variable(action.name), std::to_string(action.number("bytes")),
                       "(unsigned[]){ " + cuts + "0 }"});
    },
    .from_trace = FromTrace{.events = "PeerSent"},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kAny, "Part::send(): from one byte to what fits into a socket"},
    .shrinker = Simpler{.numbers = true,
                        .sent = [](const Action& action) { return action.number("bytes"); }},
};

}  // namespace zcrxlab
