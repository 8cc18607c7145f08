// submit: submits requests and reads no CQE.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kSubmitVerb = {
    .form = {.word = "submit",
             .subject = Thing::kRing,
             .sentence = "submits and lets the kernel work, and reads no CQE"},
    .player = &Player::submit,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        return c_line("enter", {c.variable(action.name), "0", "0"});
    },
    .from_trace = NotBecause{"a system call without a new request is no event"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Part::burst() and wait_for_the_end(): CQEs that lie in the ring"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
