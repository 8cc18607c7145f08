// NicRow: one kind of NIC that zcrxlab runs on, and how it differs from the others. The one place
// where kinds of NICs are known by name: code that treats one of them differently reads its row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zcrxlab {

// Kernel modules, for the rows and for code that is about one driver.
inline constexpr std::string_view kGveDriver = "gve";
inline constexpr std::string_view kBnxtDriver = "bnxt_en";
inline constexpr std::string_view kNetdevsimDriver = "netdevsim";

// Where the device is.
enum class NicPlace {
    kNicProgram,   // zcrx-nic, a process of the host, emulates it: a PCI device over vfio-user
    kGuestDriver,  // the guest's own driver simulates it
    kNowhere,      // there is none, and the kernel copies every byte
    kPassedIn,     // a card of this machine, which the guest gets
    kThisMachine,  // a card of this machine, and no VM
};

// Whether "zcrxlab matrix" runs on it.
enum class MatrixUse { kNever, kIfAsked, kUsual };

// What the driver calls them in `ethtool -S`; "#" is the number of a queue, and empty is what it
// does not count.
struct StatisticNames {
    std::string_view received = {}, sent = {};  // packets; of a queue, or of all
    std::string_view received_bytes = {};       // of a queue
    std::string_view dropped = {};              // packets of a queue, by the driver or by its NIC
    std::string_view no_buffer = {};            // packets of a queue that found no buffer
    std::string_view broken = {};               // packets, one of whose buffers failed
    std::string_view split = {};                // packets whose headers were split off
    std::string_view unsplit = {};              // those that should have been, and were not
};

struct NicRow {
    // As --nic takes it. Where there is an argument, this stands before a colon: "vfio", "ADDRESS".
    std::string_view name;
    std::string_view argument = {};
    std::string_view sentence;  // for people, without a full stop
    NicPlace place;
    // ZCRXLAB_TARGET of the scenarios: of a card the program under test knows only that it is one.
    // Empty: no driver takes it, so that there is nothing to receive on.
    std::string_view target = {};
    std::string_view model = {};  // "zcrx-nic --model", where that emulates it
    bool for_tests = false;       // of zcrxlab itself: it can be had, and no help offers it

    std::string_view driver = {};            // kernel module; empty: the card's, or none
    std::string_view driver_source = {};     // its main file in the kernel's tree, for reports
    std::string_view driver_functions = {};  // how their names begin, without "__"
    // Of stock kernels: the flavour that has the driver ("amd64"); empty: the standard one.
    std::string_view kernel_flavour = {};
    // The first stock series on which zero-copy receive works with it; empty: not known.
    std::string_view oldest_kernel = {};
    StatisticNames statistics = {};
    // Entries of the receive ring for scenarios, where the driver would post more buffers than
    // their areas have; 0: as the driver has it.
    uint32_t rx_ring = 0;
    uint32_t queues_kept = 0;  // the first so many cannot be taken
    // A feature that the driver switches on by itself, and scenarios want off unless they ask for
    // it; empty: none.
    std::string_view feature_off = {};
    bool zero_copy = false;  // the driver gives queues to io_uring
    bool patched = false;    // the driver is ours: kernel-config/netdevsim/build makes its module

    bool dma_log = false;          // tells what it wrote
    bool faults = false;           // takes --fault
    bool mutations = false;        // takes --mutation
    bool dies = false;             // at command, in the way of a firmware that crashes
    bool control_channel = false;  // has a connection that only one process can use at a time

    MatrixUse matrix = MatrixUse::kNever;
    // PCI device numbers of its two ports on bus 0 of the guest.
    unsigned receiver_slot = 4, peer_slot = 5;
};

// All of them; the first is the default.
std::span<const NicRow> nic_rows();
const NicRow& default_nic();
// The first row of a place.
const NicRow& nic_at(NicPlace place);

// The row of `nic`, as --nic takes it ("vfio:0000:3b:00.0"); null if there is none.
const NicRow* find_nic(std::string_view nic);
// The row of a value of ZCRXLAB_TARGET; null if there is none.
const NicRow* find_target(std::string_view target);
// Whether there is a row of `nic`, or of this target, and it is of that place.
bool nic_is_at(std::string_view nic, NicPlace place);

// How --nic takes it: its name, and its argument behind a colon.
std::string nic_label(const NicRow& row);
// The labels of those for which `fits`, with `between` them.
std::string nic_labels(bool (*fits)(const NicRow&), std::string_view between);

// Whether --nic of a command with a VM takes it, and whether its help says so.
bool is_for_a_vm(const NicRow& row);
bool is_offered(const NicRow& row);
// Whether programs in the guest find a network interface of it.
bool has_interface(const NicRow& row);
// For nic_labels(), of those that are not for tests only.
bool takes_faults(const NicRow& row);
bool takes_mutations(const NicRow& row);
bool is_in_matrix(const NicRow& row);
bool is_usual_in_matrix(const NicRow& row);
bool is_in_matrix_with_a_device(const NicRow& row);

}  // namespace zcrxlab
