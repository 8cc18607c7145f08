// PreparedVm: everything that a VM needs before it starts, made from the options.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "kernels/kernel.hpp"
#include "vm/image/image.hpp"
#include "vm/options.hpp"
#include "vm/qemu/qemu_command.hpp"
#include "vm/watch/machine.hpp"
#include "vm/watch/nic_process.hpp"
#include "vm/watch/results_folder.hpp"
#include "vm/watch/run_folder.hpp"

namespace zcrxlab {

// What the guest is to run.
struct GuestJob {
    std::vector<std::string> arguments;  // the program's path in the guest first
    std::vector<GuestProgram> programs;  // to be packed, with their libraries
    std::vector<std::pair<std::string, std::string>> files;  // content and place
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<std::string> modules;         // loaded where the kernel has them
    std::vector<std::string> modules_needed;  // ENOENT where it has not
    bool modules_on_demand = false;           // and what else the kernel or a program asks for
    bool tools = false;                       // BusyBox, ip, ss and ethtool
    bool takes_cards = false;     // a NIC of this machine is taken from its driver before
    bool interactive = false;     // a person at the console
    bool beside_another = false;  // with two CPUs, so that this one needs but one
    bool dealt = false;           // asks which scenario is next (kTurn)
    // Streams, user, folder, peer ... of a program with streams; the rest of the plan is made here.
    GuestPlan session;
    // The guest's root is that of this machine, and `copies` are made in it. Where the kernel
    // cannot do that, `programs` and `files` are packed, and the program runs as root.
    bool host_files = false;
    std::vector<std::pair<std::string, std::string>> copies;  // from, to
    std::vector<std::filesystem::path> writable;  // folders of this machine that it may write to
    // Places of this machine that the guest finds empty, as hidden_places() has them.
    std::vector<std::filesystem::path> hidden;
    bool must_hide = false;  // somebody named one, so that it is an error if that is impossible
    bool comparison_nics = false;  // QEMU's own NICs as well, each with its peer
};

struct PreparedVm {
    RunFolder folder;
    Kernel kernel;
    VmSettings settings;
    Machine machine;
    NicFiles nic_files;
    std::vector<std::string> notes;  // what could not be had, for people
    bool host_files = false;         // as the job wanted it
    std::string nic_model = {};      // of zcrx-nic, where it runs
    // Of a guest that may be saved once it has booted, and waits for its own image then; empty:
    // this one boots.
    std::string waiting_image = {};
};

// Finds kernel and QEMU (fetching what is not there), decides about KVM, builds the image into
// `out`/guest.cpio. EINVAL or ENOENT with a sentence that says what to type; EINTR: a signal
// asked us to stop.
Result<PreparedVm> prepare_vm(const VmOptions& options, const GuestJob& job,
                              const ResultsFolder& out, const Progress& progress);

struct VmOrder {
    GuestJob job;
    const ResultsFolder* out;
};
// The same for several that run side by side.
Result<std::vector<PreparedVm>> prepare_vms(const VmOptions& options,
                                            std::span<const VmOrder> orders,
                                            const Progress& progress);

// A shell script that starts the same VM by hand, with its console on the terminal.
std::string command_by_hand(const PreparedVm& vm);

}  // namespace zcrxlab
