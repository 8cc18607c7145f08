// connect: opens a TCP connection from the peer.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kConnectParameters[] = {
    name_of_a(Thing::kIfq, "ifq", "through which it is received"),
    {.name = "route",
     .kind = ValueKind::kWord,
     .sentence =
         "how it comes: to the ifq's queue, to any (no flow rule), or from this machine itself",
     .fallback = "queue",
     .words = "queue|any|loopback"},
    {.name = "family",
     .kind = ValueKind::kNumber,
     .sentence = "4 or 6",
     .fallback = "4",
     .least = 4,
     .most = 6},
    {.name = "mss",
     .kind = ValueKind::kNumber,
     .sentence = "bytes of payload per segment; 0 = the kernel's choice",
     .fallback = "0",
     .most = 65535},
    {.name = "receive_buffer",
     .kind = ValueKind::kNumber,
     .sentence = "SO_RCVBUF; 0 = the kernel's choice",
     .fallback = "0",
     .most = 1U << 30},
    {.name = "send_buffer",
     .kind = ValueKind::kNumber,
     .sentence = "SO_SNDBUF; 0 = the kernel's choice",
     .fallback = "0",
     .most = 1U << 30},
};

constinit const VerbRow kConnectVerb = {
    .form = {.word = "connect",
             .subject = Thing::kStream,
             .makes = true,
             .sentence = "a TCP connection from the peer; nothing is armed",
             .parameters = kConnectParameters},
    .player = &Player::connect,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string route = action.word("route");
        if (route == "any")
            return cannot_be_c(action, "whoever runs it sets the flow rules of the NIC");
        if (route == "loopback") c.need({"loopback"});
        return c.make(
            "struct stream *", action,
            c_call(route == "loopback" ? "stream_connect_loopback" : "stream_connect",
                   {c.variable(action.word("ifq")), action.number("family") == 6 ? "6" : "4",
                    std::to_string(action.number("mss")),
                    std::to_string(action.number("receive_buffer")),
                    std::to_string(action.number("send_buffer"))}));
    },
    // A scenario notes only its route: TraceReader::survey_route().
    .from_trace = FromTrace{.events = "ConnectionOpened"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::connect(): one to three streams, some with small segments"},
    .shrinker = Simpler{.numbers = true},
};

}  // namespace zcrxlab
