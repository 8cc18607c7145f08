// The guest image: init, its plan, kernel modules, and the programs that a guest runs.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/image/modules.hpp"

namespace zcrxlab {

// A program of the host and where it goes in the guest; its libraries go along.
struct GuestProgram {
    std::filesystem::path file;
    std::string path;  // "/usr/bin/ip"
};

struct ImageParts {
    std::filesystem::path init;  // static
    GuestPlan plan;              // `modules` is filled in from `modules` below
    std::vector<KernelModule> modules;
    std::vector<GuestProgram> programs;
    // Taken as they are: content and place.
    std::vector<std::pair<std::string, std::string>> files;
    // BusyBox applets as links beside /bin/busybox; no BusyBox where this is empty.
    std::filesystem::path busybox;
};

// The image as an uncompressed cpio archive. Uncompressed, because copying costs a guest less than
// unpacking. ENOENT names what is missing on this machine.
Result<std::string> build_image(const ImageParts& parts);

}  // namespace zcrxlab
