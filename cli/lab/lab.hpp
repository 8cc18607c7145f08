// zcrxlab lab: runs scenarios on a real NIC of this machine, without a VM.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace zcrxlab {

struct LabOptions {
    std::string nic;          // interface under test
    std::string peer;         // the other end of its cable: [netns:]IFNAME or ssh:HOST[,IFNAME]
    unsigned queue = 1;       // zero-copy receive takes this one and the three behind it
    bool yes = false;         // what will be done needs no answer
    bool plan = false;        // show it, and stop
    bool disruptive = false;  // scenarios that disturb others, too
    bool bench = false;       // measure, in place of the scenarios
    bool bring_up = false;    // those for authors of drivers, and a report for them
    std::string filter;       // of GoogleTest; "" = all
    bool lenient = false;     // features that the kernel should have may be missing
    uint64_t seed = 1;
    unsigned timeout = 3600;    // seconds
    std::filesystem::path out;  // "" is zcrxlab-out
    bool verbose = false;
    bool fail_fast = false;
    // "lab restore": put back what runs have left that were killed, and run nothing.
    bool restore = false;
    std::string restore_nic;  // of this interface only; "" = of all
    // "lab split": switch the header split of this interface on, or off, and run nothing.
    std::string split_nic;
    bool split_off = false;
};

void add_lab_options(CLI::App& app, LabOptions& options);
std::string lab_manual();
// The ports are as they were when it returns, and also when an exception leaves it.
int lab_command(const LabOptions& options);

}  // namespace zcrxlab
