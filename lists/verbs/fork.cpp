// fork: starts a child that holds everything open and does nothing.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kForkVerb = {
    .form = {.word = "fork",
             .subject = Thing::kProcess,
             .makes = true,
             .first_thread = true,
             .sentence = "a child that inherits everything and does nothing"},
    .player = &Player::fork,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        c.need({"process"});
        return c.make("pid_t", action, c_call("fork_idle", {}));
    },
    .from_trace = NotBecause{"a child that does nothing is no event"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Model::add_fork(): one that is killed later"},
    .shrinker = NotBecause{"it has no argument"},
};

}  // namespace zcrxlab
