// zcrxlab explain: says what can be behind an errno, or which kernels have a fixed bug.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zcrxlab {

// The word that stands for all fixed bugs.
inline constexpr const char* kAllBugs = "bugs";

struct ExplainOptions {
    // "EEXIST", "17", "-17"; a bug's CVE, commit or name; kAllBugs
    std::string word;
    // Of an errno.
    std::string
        operation;  // "register", "import", "submit", "receive", "control", "ethtool"; "" = all
    std::string interface;  // of this machine, to be looked at; "" = none
    uint32_t queue = 0;     // its receive queue
    // Of a bug.
    std::vector<std::string> kernels;   // releases that are asked about; none: this machine's
    std::vector<std::string> matrices;  // matrix.json or folders with it, for what runs have seen
    bool json = false;
};

void add_explain_options(CLI::App& app, ExplainOptions& options);
std::string explain_manual();
// Of an errno it does not return where it succeeds: this process becomes the scenario program.
int explain_command(const ExplainOptions& options);

}  // namespace zcrxlab
