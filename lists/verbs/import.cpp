// import: gives another ring the ifq that was exported.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constexpr Parameter kImportParameters[] = {name_of_a(Thing::kRing, "ring", "the ring"),
                                           name_of_a(Thing::kBox, "box", "the descriptor"),
                                           kExpect};

constinit const VerbRow kImportVerb = {
    .form = {.word = "import",
             .subject = Thing::kIfq,
             .makes = true,
             .sentence = "ZCRX_REG_IMPORT: the exported ifq, with another ring",
             .parameters = kImportParameters},
    .player = &Player::import_ifq,
    .needs = needs_nothing,  // but a box, and for that "export" needs it
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string box = action.word("box");
        return c.make(
            "struct ifq *", action,
            c_call("ifq_import", {c.variable(action.word("ring")), c.variable(box),
                                  c.variable(c.ifq_in_box(box)), errno_text(action.expected())}));
    },
    .from_trace = FromTrace{.noted = true},
    .fuzzer =
        ByFuzzer{ByFuzzer::Nic::kAny,
                 "Part::open(): with the ring of a thread, a process or the first thread itself"},
    .shrinker = NotBecause{"it has no number"},
};

}  // namespace zcrxlab
