// kill: ends a child by SIGKILL.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kKillVerb = {
    .form = {.word = "kill",
             .subject = Thing::kProcess,
             .any_thread = true,
             .sentence = "SIGKILL for it"},
    .player = &Player::kill,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        return c_line("kill_child", {c.variable(action.name)});
    },
    .from_trace = NotBecause{"a scenario's trace has no word of other processes"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Model::kill_later(): wherever the child is by then"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
