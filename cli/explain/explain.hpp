// zcrxlab explain: says what can be behind an errno.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct ExplainOptions {
    std::string code;  // "EEXIST", "17" or "-17"
    std::string
        operation;  // "register", "import", "submit", "receive", "control", "ethtool"; "" = all
    std::string interface;  // of this machine, to be looked at; "" = none
    uint32_t queue = 0;     // its receive queue
};

void add_explain_options(CLI::App& app, ExplainOptions& options);
std::string explain_manual();
// Does not return where it succeeds: this process becomes the scenario program.
int explain_command(const ExplainOptions& options);

}  // namespace zcrxlab
