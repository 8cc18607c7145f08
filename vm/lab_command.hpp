// zcrxlab lab: the scenarios on a real NIC of this machine, without a VM.
#pragma once

#include <string>

#include "vm/options.hpp"

namespace zcrxlab {

struct LabOptions {
    std::string nic, peer;
    unsigned queue = 1;
    bool yes = false;         // what will be done needs no answer
    bool plan = false;        // show it, and stop
    bool disruptive = false;  // scenarios that disturb others, too
    bool bench = false;       // measure, in place of the scenarios
    std::string filter;
    uint64_t seed = 1;
    unsigned timeout = 3600;    // seconds
    std::filesystem::path out;  // "" is zcrxlab-out
    bool verbose = false;
    bool fail_fast = false;
};
int lab_command(const LabOptions& options);

// Puts back what runs have left that were killed; of one interface, or of all if that is empty.
int lab_restore_command(const std::string& nic);

}  // namespace zcrxlab
