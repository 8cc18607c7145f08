// virtiofsd: the program that shows a guest a folder of the host; from the system, or from the
// cache.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/progress.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// How it is started: the program, or a private loader with its library path and the program.
struct Virtiofsd {
    std::vector<std::string> command;
    std::string origin;  // for people: "system" or "cache"
};

// The system's, else the cache's; fetched into the cache if there is none. It has to have
// --readonly (1.13 and later).
Result<Virtiofsd> find_virtiofsd(const Progress& progress);

// A folder of the host that a guest is shown.
struct SharedFolder {
    std::string tag;  // by which the guest mounts it
    std::filesystem::path folder;
    std::filesystem::path socket;
    bool writable = false;
    // It runs in a user namespace that knows us only; the guest is told that the others are root.
    bool others_are_nobody = false;
};

// It runs as who we are, without a sandbox: it can read what we can, and write below a writable
// folder what we can. Ends when QEMU does.
std::vector<std::string> virtiofsd_command(const Virtiofsd& program, const SharedFolder& share);

}  // namespace zcrxlab
