// zcrxlab exec: runs a program of this machine in the VM, connected to us as if it ran here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vm/options.hpp"

namespace CLI {
class App;
}

namespace zcrxlab {

struct ExecOptions {
    VmOptions vm;
    std::vector<std::string> arguments;    // the program first
    std::vector<std::string> files;        // HOST[:GUEST]
    std::vector<std::string> environment;  // NAME=VALUE
    std::vector<std::string> writable;     // folders that it may really write to
    std::vector<std::string> hide;         // places beside the usual ones that it cannot read
    std::vector<std::string> show;         // hidden places that it can
    bool clean_environment = false;        // of ours it gets what has no secrets
    bool packed = false;                   // a guest without this machine's files
    bool bare = false;                     // the NIC as the driver made it
    bool selftests = false;                // or as the kernel's selftests expect it
    std::vector<uint16_t> ports;           // of the program, steered to its queues
    unsigned queues = 1;                   // for zero copy
    std::string peer;                      // a command for a shell in the other namespace
    bool peer_first = false;               // it is what listens
    std::string send;                      // or what our sender does
    unsigned linger = 5;                   // seconds from the peer's end to the program's
    std::vector<std::string> expected;     // "zero-copy=99%"
    bool no_probes = false;                // what zero-copy receive does is not counted
    std::vector<std::string> modules;      // of the guest's kernel
    bool examples = false;                 // list them, and nothing else
    std::string html;                      // a page of the outcome goes there; "" = none
    std::string self;                      // how this program was called
};

void add_exec_options(CLI::App& app, ExecOptions& options);
// Those of them that any command has which runs such a program: its files and environment, its
// port and queues.
void add_guest_program_options(CLI::App& app, ExecOptions& options);
std::string exec_manual();
// The program's exit code, or ours (see the manual) with a sentence.
int exec_command(const ExecOptions& options);

}  // namespace zcrxlab
