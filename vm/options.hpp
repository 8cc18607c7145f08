// What a person said on the command line about the virtual machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zcrxlab {

// EX_USAGE of sysexits.h: the command line, or this machine, is not fit for what was asked.
inline constexpr int kExitUsage = 64;
// After Ctrl-C, as a shell has it for SIGINT.
inline constexpr int kExitInterrupted = 130;

struct VmOptions {
    std::string kernel;       // "" is the default
    std::string nic = "gve";  // or "netdevsim", "netdevsim-stock", "nodev", "vfio:0000:3b:00.0"
    std::string peer;         // for a NIC of this machine: "vfio:0000:3b:00.1"; "" is found
    bool yes = false;         // cards may be taken from their drivers without asking
    unsigned cpus = 0;        // 0 = as fits
    std::string memory = "1G";
    bool iommu = false;                // the guest has one (intel-iommu), with interrupt remapping
    std::string accelerator = "auto";  // or "kvm", "tcg"
    std::string vm_arguments;          // more for QEMU, as a shell would split it
    std::string kernel_arguments;
    std::vector<std::string> faults;  // JSON rules
    std::string mutation;             // of the emulated NIC
    uint64_t seed = 1;
    unsigned timeout = 900;     // seconds
    unsigned silence = 0;       // seconds without a sign of life; 0 = as long as a test may take
    std::filesystem::path out;  // "" is zcrxlab-out
    bool verbose = false;
    bool print_command = false;
};

// A NIC of this machine, which goes into the guest.
bool is_passed_through(const std::string& nic);

// MiB of "512M", "1G" or "1024"; 0 if it is no size.
unsigned mebibytes(const std::string& size);

// Splits as a shell does, with single and double quotes and backslashes.
std::vector<std::string> split_words(const std::string& text);

}  // namespace zcrxlab
