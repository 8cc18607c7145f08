// zcrxlab conform: drives a receiver of this machine through situations, and says what it did
// wrong in which.
#pragma once

#include <string>
#include <vector>

#include "cli/exec/exec.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct ConformOptions {
    ExecOptions program;  // what it is, with one port or a client, and the VM; no peer
    std::string check = "none";
    std::string client;                   // a command for a shell, in place of our peer; "" = none
    unsigned client_timeout = 60;         // seconds that a run of it may take
    std::vector<std::string> situations;  // names; all if empty
    std::string html;                     // a page of the results goes there; "" = none
    bool list = false;                    // list them, and nothing else
};

void add_conform_options(CLI::App& app, ConformOptions& options);
std::string conform_manual();
// As "run" has it: kExitFailed if the program did wrong, kExitSkipped if nothing was judged.
int conform_command(const ConformOptions& options);

}  // namespace zcrxlab
