// GuestPlan: what guest init is to do, as the host writes it into the image and init reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

// Two ports of one kind of NIC joined by a wire: the receiver stays in the first network namespace
// of the guest, the peer moves to its own.
struct GuestPair {
    std::string name;  // of its kind
    // "0000:00:04.0", or the root port that it is behind; a driver's name and a number is a device
    // for init to make.
    std::string receiver_pci;
    std::string peer_pci;
    std::string peer_netns;  // path below /run/netns
    // Addresses without a prefix length; IPv4 is /24, IPv6 is /64.
    std::string local_v4, local_v6, peer_v4, peer_v6;
};

// A fault rule for a NIC that a driver simulates: a line for the file "faults" of a port
// (kernel-config/netdevsim).
struct GuestFault {
    unsigned port = 0;  // 0 = the receiver, 1 = its peer
    std::string line;
};

// A folder of the host in the guest: a virtiofs file system.
struct GuestShare {
    std::string tag;
    std::string place;  // an absolute path; "/" becomes the guest's root, below a layer in memory
};

// A setting of a module, or of a part of the kernel that has settings as a module has:
// /sys/module/MODULE/parameters/NAME.
struct GuestParameter {
    std::string module, name, value;
};

struct GuestUser {
    uint32_t user = 0, group = 0;
    std::vector<uint32_t> groups;
};

// How a program with streams is connected to the host.
enum class GuestStreams {
    kNone,      // its output goes to the console, and it may send records itself
    kPipes,     // input, output and errors apart, as records
    kTerminal,  // a terminal of its own, which a person's terminal on the host stands for
};

// What talks to the program from the other network namespace.
struct GuestPeer {
    std::vector<std::string> arguments;  // none if empty
    bool first = false;                  // it listens, and the program is started after it
    // It is started once the program listens on one of these ports; on any if there is none.
    std::vector<uint16_t> ports;
    // After the peer's end the program has so long to end by itself.
    unsigned linger_seconds = 5;
};

// One of several peers that come one after another, each to the program started anew.
struct GuestRound {
    std::string name;
    std::vector<std::string> peer;  // its words; it runs as root
    // Words of a program that runs as root before the program and beside it, from when it has
    // printed "ready"; none if empty.
    std::vector<std::string> before = {};
    bool old_kernel = false;  // registering a queue is -EINVAL, as before 6.15
    bool restarts = false;    // a program that somebody killed is started again, once
};

struct GuestPlan {
    std::vector<std::string> modules;  // paths in the image, in order
    // Init loads the modules, sets up what counts receives, says kWaitingLine on the console and
    // waits for another image, with another plan (vm/guest/init/late_image.hpp).
    bool wait_for_image = false;
    // Of 2 MiB, set apart before drivers take memory; fewer where there is no room.
    uint32_t huge_pages = 0;
    std::vector<GuestPair> pairs;                                  // the first is NETIF's
    std::vector<GuestFault> faults;                                // for the pair of netdevsim
    std::vector<GuestParameter> parameters;                        // set before the program starts
    std::vector<std::pair<std::string, std::string>> environment;  // for the program
    // The program first. Nothing at all: init says kBareBootLine on the console and powers off.
    std::vector<std::string> arguments;
    // The program gets the console as its terminal; no records are written.
    bool interactive = false;
    GuestStreams streams = GuestStreams::kNone;
    bool wait_for_environment = false;  // a kEnvironment record adds to `environment`
    std::vector<GuestShare> shares;     // mounted in this order
    // Copied in the guest once its root is that of the host: from there, to there.
    std::vector<std::pair<std::string, std::string>> copies;
    // What the kernel asks for while the program runs is loaded from `module_folder`, a path of the
    // guest, by `modprobe`, words for a shell; without a folder it is noted.
    bool modules_on_demand = false;
    std::string module_folder, modprobe;
    std::string host_name;
    bool count_receives = false;  // by probes in the kernel; a kProgram record has the counts
    // Run as root before the program, which gets the lines NAME=VALUE that it prints.
    std::vector<std::string> preparation;
    std::optional<GuestUser> user;  // the program's and its peer's; root if empty
    std::string folder;             // their working directory
    GuestPeer peer;
    // In place of `peer.arguments`. Then a program that listens on none of the peer's ports in time
    // is ended, it reads nothing, and nothing of it is left for the next round.
    std::vector<GuestRound> rounds;
};

// Beside `environment`, init gives the program: ZCRXLAB_RECORDS_FD, ZCRXLAB_CONTROL (if there is
// such a port), for the first pair NETIF, LOCAL_V4, LOCAL_V6, REMOTE_V4, REMOTE_V6, REMOTE_TYPE,
// REMOTE_ARGS, ZCRXLAB_PEER_NETIF and ZCRXLAB_PEER_NETNS, and for all of them ZCRXLAB_PAIRS: a line
// for each pair, "NAME RECEIVER PEER PEER_NETNS LOCAL_V4 PEER_V4 LOCAL_V6 PEER_V6".

// The name of a pair of real NICs, whose drivers and links take longer.
inline constexpr const char* kPassedPair = "vfio";
// Where the plan lies in the image, and the names of the virtio-serial ports.
inline constexpr const char* kGuestPlanPath = "/zcrxlab.plan";
inline constexpr const char* kBareBootLine = "zcrx-init: nothing to run";
inline constexpr const char* kWaitingLine = "zcrx-init: waiting for an image";
// In an image that comes late: what the guest cannot know after having stood still, see moment.hpp.
inline constexpr const char* kMomentPath = "/zcrxlab.moment";
inline constexpr const char* kRecordsPort = "zcrxlab.records";
inline constexpr const char* kControlPort = "zcrxlab.control";

// Of "MODULE.NAME=VALUE"; both names are words, so that they lead nowhere else.
std::optional<GuestParameter> guest_parameter_from(std::string_view text);

// One "key value" per line; backslash and newline in values are escaped.
std::string to_text(const GuestPlan& plan);
// EINVAL with the line that is not understood.
Result<GuestPlan> guest_plan_from_text(std::string_view text);

}  // namespace zcrxlab
