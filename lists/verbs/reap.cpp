// reap: waits for the end of a child.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kReapVerb = {
    .form = {.word = "reap",
             .subject = Thing::kProcess,
             .first_thread = true,
             .sentence = "waits for the end of a child that does lines"},
    .player = &Player::reap,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        return c_line("reap_child", {c.variable(action.name)});
    },
    .from_trace = NotBecause{"a scenario's trace has no word of other processes"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Model::add_process(): of one that ends by itself"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
