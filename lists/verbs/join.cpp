// join: waits for the end of a thread.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kJoinVerb = {
    .form = {.word = "join",
             .subject = Thing::kThread,
             .first_thread = true,
             .sentence = "waits for its end"},
    .player = &Player::join,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        return c_line("pthread_join", {c.variable(action.name), "NULL"});
    },
    .from_trace = NotBecause{"the end of a thread is no event; the end of a list waits for it"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Model::add_thread() and add_sharing_thread()"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
