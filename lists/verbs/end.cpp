// end: makes the peer end a stream when all was sent.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kEndParameters[] = {{.name = "how",
                                         .kind = ValueKind::kWord,
                                         .sentence = "with a FIN or a RST",
                                         .fallback = "fin",
                                         .words = "fin|reset"}};

constinit const VerbRow kEndVerb = {
    .form = {.word = "end",
             .subject = Thing::kStream,
             .any_thread = true,
             .sentence = "the peer ends the stream when all was sent",
             .parameters = kEndParameters},
    .player = &Player::end,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string stream = c.variable(action.name);
        return "\t" + stream + "->end = " + (action.word("how") == "fin" ? "FIN" : "RESET") +
               ";\n" + c_line("pump", {stream});
    },
    .from_trace = FromTrace{.events = "PeerClosed"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::finish(): a FIN or a RST, behind all data or together with some"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
