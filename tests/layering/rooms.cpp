// The rooms of the tree from the bottom up; a change of design is a change of this table.
#include "tests/layering/layering.hpp"

namespace zcrxlab {

namespace {

// A device or a wire that could talk to the outside would not be deterministic.
const std::vector<std::string_view> kOutside = {"sys/socket.h", "sys/un.h", "sys/epoll.h", "poll.h",
                                                "netdb.h",      "netinet",  "linux/vfio.h"};
const std::vector<std::string_view> kVirtualMachines = {"linux/vfio.h", "linux/kvm.h"};

const std::vector<Room> kRooms = {
    {"harness/base", {}, kVirtualMachines, "it is below everything"},
    {"harness/uapi", {}, kVirtualMachines, "it is the kernel's ABI and nothing else"},
    {"harness/trace",
     {"harness/base", "harness/uapi"},
     kVirtualMachines,
     "a trace is data; whoever fills it is above it"},
    {"harness/actions",
     {"harness/base"},
     kOutside,
     "a list of actions is data; whoever does them is above it"},
    {"harness/oracle",
     {"harness/base", "harness/uapi", "harness/trace"},
     kOutside,
     "the oracle is pure functions over a trace"},
    {"harness/report",
     {"harness/base", "harness/trace", "harness/oracle"},
     kOutside,
     "a report is text made of results"},
    {"harness/ring",
     {"harness/base", "harness/uapi", "harness/trace"},
     kVirtualMachines,
     "the harness knows no VM and no scenario"},
    {"harness/net",
     {"harness/base", "harness/uapi", "harness/trace", "harness/ring"},
     kVirtualMachines,
     "the harness knows no VM and no scenario"},
    {"harness/target/netdevsim_rule.",
     {"harness/base"},
     kOutside,
     "a rule is translated on the host, too, before there is a device"},
    {"harness/target",
     {"harness/base", "harness/uapi", "harness/trace", "harness/net", "harness/ring",
      "harness/target/netdevsim_rule."},
     kVirtualMachines,
     "the harness knows no VM and no scenario; a target is reached through its control channel"},
    {"harness/lab",
     {"harness/base", "harness/uapi", "harness/trace", "harness/ring", "harness/net",
      "harness/target"},
     kVirtualMachines,
     "a lab is a NIC of this machine; it knows no VM, and scenarios run above it"},

    {"scenarios",
     {"harness/base", "harness/uapi", "harness/trace", "harness/actions", "harness/oracle",
      "harness/report", "harness/ring", "harness/net", "harness/target"},
     kVirtualMachines,
     "scenarios know no driver, no device and no VM"},

    // The emulated NIC: what a device takes, and the parts that never mix.
    {"vm/nic", {"harness/base", "harness/trace"}, kOutside, "it is what the parts of a NIC share"},
    {"vm/nic/vfio_user",
     {"harness/base", "vm/nic"},
     {},
     "the transport has no idea of NICs, and the device none of sockets"},
    {"vm/nic/wire",
     {"harness/base", "harness/trace", "vm/nic"},
     kOutside,
     "the wire is shared by every NIC model and knows no transport"},
    {"vm/nic/gve",
     {"harness/base", "harness/trace", "vm/nic"},
     kOutside,
     "the device takes a Dma, an Irq and a Wire, and knows no socket"},
    {"vm/nic/control",
     {"harness/base", "harness/trace", "vm/nic", "vm/nic/wire"},
     {},
     "faults and logs are the wire's; no NIC model is known here"},
    {"vm/nic/main.",
     {"harness/base", "harness/trace", "vm/nic", "vm/nic/vfio_user", "vm/nic/wire", "vm/nic/gve",
      "vm/nic/control"},
     {},
     "the program joins the parts"},

    {"vm/kernel", {"harness/base"}, {}, "finding and fetching knows no VM that runs"},
    {"vm/kernel_build", {"harness/base", "vm/kernel"}, {}, "building knows no VM that runs"},
    {"vm/coverage", {"harness/base", "vm/kernel"}, {}, "counts are counts, wherever they ran"},
    {"vm/boot",
     {"harness/base", "harness/trace", "harness/oracle", "harness/report", "vm/kernel"},
     {},
     "it starts the NIC as a program and knows none of its code"},
    {"vm/boot/setup",
     {"harness/base", "harness/uapi", "harness/trace", "harness/ring", "harness/net", "vm/boot"},
     {},
     "it configures interfaces inside the guest and knows no device"},
    // It looks at everything that a run needs, so it is above both.
    {"vm/kernel/doctor.", {"harness/base", "vm/kernel", "vm/boot"}, {}, "it only looks"},
    {"vm/page", {}, kOutside, "a page is text made of data"},
    {"vm/matrix",
     {"harness/base", "harness/report", "vm/kernel", "vm/page"},
     kOutside,
     "a table is made of results; whoever runs them is above it"},
    {"vm/bisect",
     {"harness/base", "harness/report", "vm/kernel", "vm/matrix"},
     kOutside,
     "a search is made of verdicts; whoever runs kernels is above it"},
    {"vm/story",
     {"harness/base", "harness/uapi", "harness/trace", "harness/oracle", "harness/report",
      "vm/page"},
     kOutside,
     "a story is told from files that were read, and from nothing else"},
    {"vm/repro",
     {"harness/base", "harness/trace", "harness/actions"},
     kOutside,
     "it makes text of lists; whoever runs kernels is above it"},
    {"vm",
     {"harness/base", "vm/repro", "harness/trace", "harness/actions", "harness/oracle",
      "harness/report", "vm/kernel", "vm/kernel_build", "vm/boot", "vm/kernel/doctor.", "vm/matrix",
      "vm/bisect", "vm/coverage", "vm/story", "harness/target/netdevsim_rule.", "harness/lab"},
     {},
     "the command line knows no part of the NIC and no scenario"},

    {"tests/fakes",
     {"harness/base", "harness/trace", "vm/nic", "vm/kernel"},
     {},
     "fakes stand for what a device takes, and for files"},
    {"tests/layering", {}, {}, "it reads the tree as text"},
};

}  // namespace

std::span<const Room> rooms() {
    return kRooms;
}

}  // namespace zcrxlab
