// The QEMU command line of one virtual machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/nics/nic_table.hpp"
#include "vm/guest/guest_plan.hpp"
#include "vm/qemu/qemu_program.hpp"

namespace zcrxlab {

// A pair of NICs in the machine, at fixed PCI addresses.
struct NicPair {
    std::string name;    // of ours that of its row; of QEMU's own: "igb", "e1000e", ...
    std::string module;  // the guest's driver; empty: none takes it
    unsigned receiver_slot = 4, peer_slot = 5;  // PCI device numbers on bus 0
    // vfio-user sockets of a pair of ours; empty for QEMU's own.
    std::filesystem::path receiver_socket, peer_socket;
    bool simulated = false;  // made by the guest's driver; the machine has no such device
    // PCI addresses on the host of functions that are passed through; empty for emulated ones.
    std::string receiver_host = {}, peer_host = {};
    std::string peer_module = {};  // of the peer's port, where it is another one
};

// One that zcrx-nic emulates, and QEMU's own NICs to compare it with.
NicPair emulated_pair(const NicRow& nic, const std::filesystem::path& receiver_socket,
                      const std::filesystem::path& peer_socket);
std::vector<NicPair> comparison_pairs();
// Two functions of the host, each behind a root port at its slot.
NicPair passed_pair(const std::string& receiver_host, const std::string& peer_host);
// One that its driver simulates inside the guest.
NicPair simulated_pair(const NicRow& nic);

// The pair as init sees it: `number` makes its addresses and its namespace differ from others'.
GuestPair guest_pair(const NicPair& pair, unsigned number);

// A folder of the host, served by a virtiofsd that listens at `socket`.
struct FolderDevice {
    std::string tag;
    std::filesystem::path socket;
};

// A guest that does not boot: it goes on where it was saved, and finds its image in the memory of a
// device (vm/guest/init/late_image.hpp).
struct SavedStart {
    std::filesystem::path state;  // as QEMU's migration to a file wrote it
    std::filesystem::path image;  // its size is a power of two
    uint64_t image_bytes = 0;
};

struct VmSettings {
    QemuProgram qemu;
    Accelerator accelerator = Accelerator::kTcg;
    // Of the time stamp counter that an emulated guest sees, which is this machine's; 0 = it has to
    // find out.
    uint32_t tsc_khz = 0;
    // The clock of an emulated guest goes a nanosecond for each instruction; tsc_khz is then
    // kIcountTscKhz.
    bool icount = false;
    unsigned cpus = 2;
    unsigned memory_mib = 1024;
    std::filesystem::path kernel;
    std::filesystem::path image;
    bool only_signed_modules = false;  // the kernel checks each by its own key
    std::string kernel_arguments;      // beyond ours
    bool huge_pages = false;           // of 2 MiB for the guest's memory; there have to be enough
    bool iommu = false;                // between the guest's memory and its devices
    std::vector<NicPair> pairs;
    // Where the guest's records go, as QEMU's -chardev has it: "file,path=records",
    // "socket,fd=3"; none if empty.
    std::string records;
    bool by_hand = false;  // nobody reads the records, nor answers kTurn
    std::optional<SavedStart> saved;
    std::vector<FolderDevice> folders;
    std::filesystem::path control_socket;  // of the NIC's process; none if empty
    bool interactive = false;              // the serial console is a person's terminal
    std::vector<std::string> more;         // --vm-args
};

// QEMU's time stamp counter counts nanoseconds of the guest's clock where instructions make it.
inline constexpr uint32_t kIcountTscKhz = 1'000'000;

std::vector<std::string> qemu_command(const VmSettings& settings);

// For a machine that is to be saved, or that goes on from there: pages of the guest's memory have
// fixed places in the file, and those that are empty take none.
inline constexpr const char* kFileOfPages = "migration.mapped-ram=on";

// The command as one line for a shell.
std::string quoted_for_shell(const std::vector<std::string>& command);

}  // namespace zcrxlab
