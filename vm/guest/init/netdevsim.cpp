// Writes to the files of the netdevsim bus.
#include "vm/guest/init/netdevsim.hpp"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>
#include <filesystem>

#include "harness/base/defer.hpp"
#include "harness/base/fd.hpp"
#include "harness/nics/nic_table.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr const char* kQueues = "16";
constexpr uint32_t kQueuesInUse = 4;
// As that of the emulated NIC.
constexpr int kMtu = 9000;
constexpr const char* kNamespaceOfInit = "/proc/self/ns/net";

Result<void> set_mtu(const std::string& interface) {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    request.ifr_mtu = kMtu;
    if (::ioctl(socket.get(), SIOCSIFMTU, &request) != 0)
        return error_from_errno("set the MTU of " + interface);
    return {};
}

// The driver starts with all of its queues.
Result<void> use_queues(const std::string& interface, uint32_t count) {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    ethtool_channels channels{};
    channels.cmd = ETHTOOL_GCHANNELS;
    request.ifr_data = reinterpret_cast<char*>(&channels);
    if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0)
        return error_from_errno("get the channels of " + interface);
    channels.cmd = ETHTOOL_SCHANNELS;
    channels.combined_count = count;
    if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0)
        return error_from_errno("set the channels of " + interface);
    return {};
}

Result<void> create(const std::string& device) {
    const std::string number = device.substr(kNetdevsimDriver.size());
    if (auto made = write_value("/sys/bus/netdevsim/new_device", number + " 1 " + kQueues); !made)
        return made;
    std::error_code error;
    const std::filesystem::path net = std::filesystem::path(kNetdevsimDevices) / device / "net";
    for (const auto& entry : std::filesystem::directory_iterator(net, error)) {
        const std::string interface = entry.path().filename();
        if (auto set = set_mtu(interface); !set) return set;
        return use_queues(interface, kQueuesInUse);
    }
    return Error{ENODEV, "The driver made no network interface of " + device + "."};
}

}  // namespace

const char* const kNetdevsimDevices = "/sys/bus/netdevsim/devices";

bool is_netdevsim(const GuestPair& pair) {
    return pair.receiver_pci.starts_with(kNetdevsimDriver);
}

Result<void> create_netdevsim(const GuestPair& pair) {
    if (auto made = create(pair.receiver_pci); !made) return made;
    return create(pair.peer_pci);
}

Result<void> link_netdevsim(const std::string& receiver, const std::string& peer, int peer_netns) {
    const Fd own(::open(kNamespaceOfInit, O_RDONLY | O_CLOEXEC));
    if (!own) return error_from_errno(std::string("open ") + kNamespaceOfInit);
    unsigned peer_index = 0;
    if (::setns(peer_netns, CLONE_NEWNET) == 0) {
        const Defer back([&] { ::setns(own.get(), CLONE_NEWNET); });
        peer_index = ::if_nametoindex(peer.c_str());
    }
    const std::string ends = std::to_string(own.get()) + ":" +
                             std::to_string(::if_nametoindex(receiver.c_str())) + " " +
                             std::to_string(peer_netns) + ":" + std::to_string(peer_index);
    return write_value("/sys/bus/netdevsim/link_device", ends);
}

Result<void> add_netdevsim_fault(const GuestPair& pair, const GuestFault& fault) {
    const std::string& device = fault.port == 0 ? pair.receiver_pci : pair.peer_pci;
    return write_value("/sys/kernel/debug/netdevsim/" + device + "/ports/0/faults", fault.line);
}

}  // namespace zcrxlab
