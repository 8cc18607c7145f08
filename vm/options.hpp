// VmOptions: what the command line says about the virtual machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/nics/nic_table.hpp"

namespace zcrxlab {

struct VmOptions {
    std::string kernel;                   // "" is the default
    std::string nic{default_nic().name};  // as find_nic() takes it
    std::string peer;   // for a NIC of this machine: "vfio:0000:3b:00.1"; "" is found
    bool yes = false;   // cards may be taken from their drivers without asking
    unsigned cpus = 0;  // 0 = as fits
    std::string memory = "1G";
    bool iommu = false;                // the guest has one (intel-iommu), with interrupt remapping
    bool fresh = false;                // the guest boots, even where a saved one could go on
    std::string accelerator = "auto";  // or "kvm", "tcg"
    bool icount = false;               // the clock of an emulated guest follows its instructions
    std::string vm_arguments;          // more for QEMU, as a shell would split it
    std::string kernel_arguments;
    // Modules for the guest's kernel, each in place of its own of that name.
    std::vector<std::filesystem::path> module_files;
    std::vector<std::string> module_parameters;  // "MODULE.NAME=VALUE", set in the running guest
    std::vector<std::string> faults;             // JSON rules
    std::string mutation;                        // of the emulated NIC
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
