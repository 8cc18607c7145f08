// refuse: submits a request that the kernel must refuse.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kRefuseParameters[] = {
    {.name = "as",
     .kind = ValueKind::kWord,
     .sentence = "what is wrong with it",
     .fallback = "one_shot",
     .words = "one_shot|unknown_flag|message_flags|address|address_2|address_3|unknown_ifq|no_"
              "descriptor|buffer_selection|ring"},
    kExpect,
};

constinit const VerbRow kRefuseVerb = {
    .form = {.word = "refuse",
             .subject = Thing::kStream,
             .sentence = "submits a RECV_ZC that is wrong, whose only CQE says so",
             .parameters = kRefuseParameters},
    .player = &Player::refuse,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"refuse"});
        return c_line("stream_refused", {c.variable(action.name), in_capitals(action.word("as")),
                                         errno_text(action.expected())});
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Part::refuse(): any row of wrong_requests()"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
