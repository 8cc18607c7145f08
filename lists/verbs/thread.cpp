// thread: starts a thread that does lines of the list.
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

constinit const VerbRow kThreadVerb = {
    .form = {.word = "thread",
             .subject = Thing::kThread,
             .makes = true,
             .lines = true,
             .first_thread = true,
             .sentence =
                 "starts a thread, which does the lines that begin with its name and a colon"},
    .player = &Player::start_thread,
    .needs = needs_nothing,
    .in_c = [](CWriter& c, const Action& action) -> Result<std::string> {
        const std::string thread = c.variable(action.name);
        c.declare("static pthread_t " + thread + ";\n");
        return c_line("pthread_create", {"&" + thread, "NULL", "thread_" + action.name, "NULL"});
    },
    // Of each thread but the first one that registers.
    .from_trace = FromTrace{.events = "IfqRegistered"},
    .fuzzer = ByFuzzer{ByFuzzer::Nic::kAny, "Model::add_thread() and add_sharing_thread()"},
    .shrinker = Simpler{.hands_over = true},
};

}  // namespace zcrxlab
