// process: starts a child that does lines of the list.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kProcessVerb = {
    .form = {.word = "process",
             .subject = Thing::kProcess,
             .makes = true,
             .lines = true,
             .first_thread = true,
             .sentence =
                 "starts a child, which does the lines that begin with its name and a colon"},
    .player = &Player::start_process,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string process = c.variable(action.name);
        c.need({"process", "lines"});
        c.declare("static pid_t " + process + ";\n");
        return "\t" + process + " = " + c_call("fork_lines", {"process_" + action.name}) + ";\n";
    },
    .from_trace = NotBecause{"a scenario's trace has no word of other processes"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny,
                       "Model::add_process(), add_victim() and add_sharing_victim()"},
    .shrinker = Simpler{.hands_over = true},
};

}  // namespace zcrxlab
