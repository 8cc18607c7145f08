// Configures interfaces with ioctls and two netlink messages.
#include "vm/guest/init/network.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "harness/base/defer.hpp"
#include "harness/base/fd.hpp"
#include "harness/nics/nic_table.hpp"
#include "vm/guest/init/netdevsim.hpp"
#include "vm/guest/init/system.hpp"

namespace zcrxlab {

namespace {

constexpr int kBindMilliseconds = 10'000;
constexpr int kLinkMilliseconds = 10'000;
// Of real NICs: firmware starts, optics train, and the guest may be one inside another.
constexpr int kRealMilliseconds = 120'000;
constexpr int kLargestMtu = 9000;  // of the NICs that zcrx-nic emulates
constexpr const char* kOwnNamespace = "/proc/self/ns/net";

// struct in6_ifreq of linux/ipv6.h, which does not go together with net/if.h.
struct In6Request {
    in6_addr address;
    uint32_t prefix_length;
    int interface_index;
};
static_assert(sizeof(In6Request) == 24);

ifreq request_for(const std::string& interface) {
    ifreq request{};
    std::strncpy(request.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    return request;
}

// The interface that a PCI function's driver made; empty if there is none yet.
std::string interface_of(const std::string& pci) {
    std::filesystem::path device = "/sys/bus/pci/devices/" + pci;
    if (pci.find(':') == std::string::npos) device = std::filesystem::path(kNetdevsimDevices) / pci;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(device / "net", error))
        return entry.path().filename();
    // virtio puts one more device in between.
    for (const auto& entry : std::filesystem::directory_iterator(device, error))
        if (entry.path().filename().native().compare(0, 6, "virtio") == 0)
            for (const auto& name :
                 std::filesystem::directory_iterator(entry.path() / "net", error))
                return name.path().filename();
    // And a root port has the function behind it, whatever the number of that bus.
    for (const auto& entry : std::filesystem::directory_iterator(device, error))
        if (entry.path().filename().native().compare(0, 5, "0000:") == 0)
            for (const auto& name :
                 std::filesystem::directory_iterator(entry.path() / "net", error))
                return name.path().filename();
    return {};
}

bool is_real(const GuestPair& pair) {
    return pair.name == kPassedPair;
}

Result<std::string> wait_for_interface(const std::string& pci, int milliseconds) {
    std::string name;
    if (wait_until(milliseconds, [&] { return !(name = interface_of(pci)).empty(); })) return name;
    return Error{ETIMEDOUT, "No driver made a network interface of PCI device " + pci +
                                "; the kernel log says why."};
}

bool is_emulated(const GuestPair& pair) {
    return std::ranges::any_of(nic_rows(), [&](const NicRow& row) {
        return row.place == NicPlace::kNicProgram && row.name == pair.name;
    });
}

// As gve has it from the start; other drivers start with 1500.
Result<void> set_largest_mtu(int socket, const std::string& interface) {
    ifreq request = request_for(interface);
    request.ifr_mtu = kLargestMtu;
    if (::ioctl(socket, SIOCSIFMTU, &request) != 0)
        return error_from_errno("set the MTU of " + interface);
    return {};
}

Result<void> set_up(int socket, const std::string& interface) {
    ifreq request = request_for(interface);
    if (::ioctl(socket, SIOCGIFFLAGS, &request) != 0)
        return error_from_errno("read the flags of " + interface);
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    if (::ioctl(socket, SIOCSIFFLAGS, &request) != 0)
        return error_from_errno("set " + interface + " up");
    return {};
}

Result<void> add_v4(int socket, const std::string& interface, const std::string& address) {
    ifreq request = request_for(interface);
    auto* place = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
    place->sin_family = AF_INET;
    if (::inet_pton(AF_INET, address.c_str(), &place->sin_addr) != 1)
        return Error{EINVAL, "\"" + address + "\" is no IPv4 address."};
    if (::ioctl(socket, SIOCSIFADDR, &request) != 0)
        return error_from_errno("give " + interface + " the address " + address);
    place->sin_addr.s_addr = htonl(0xffffff00U);
    if (::ioctl(socket, SIOCSIFNETMASK, &request) != 0)
        return error_from_errno("set the netmask of " + interface);
    return {};
}

Result<void> add_v6(const std::string& interface, const std::string& address) {
    Fd socket(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    In6Request request{};
    request.prefix_length = 64;
    request.interface_index = static_cast<int>(::if_nametoindex(interface.c_str()));
    if (::inet_pton(AF_INET6, address.c_str(), &request.address) != 1)
        return Error{EINVAL, "\"" + address + "\" is no IPv6 address."};
    if (::ioctl(socket.get(), SIOCSIFADDR, &request) != 0)
        return error_from_errno("give " + interface + " the address " + address);
    return {};
}

Result<void> enter(int netns) {
    if (::setns(netns, CLONE_NEWNET) != 0) return error_from_errno("enter a network namespace");
    return {};
}

// A new namespace, bound to `path`; the caller's stays what it was.
Result<Fd> create_namespace(const std::string& path) {
    Fd own(::open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
    ::mkdir("/run/netns", 0755);
    if (Fd file(::open(path.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0444)); !own || !file)
        return error_from_errno("create " + path);
    if (::unshare(CLONE_NEWNET) != 0) return error_from_errno("create a network namespace");
    const Defer back([&] { ::setns(own.get(), CLONE_NEWNET); });
    if (::mount(kOwnNamespace, path.c_str(), nullptr, MS_BIND, nullptr) != 0)
        return error_from_errno("bind the network namespace to " + path);
    if (auto prepared = prepare_namespace(); !prepared) return prepared.error();
    Fd created(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!created) return error_from_errno("open " + path);
    return created;
}

Result<void> move_interface(const std::string& interface, int netns) {
    struct {
        nlmsghdr header;
        ifinfomsg link;
        rtattr attribute;
        int netns;
    } request{};
    static_assert(sizeof(request) == NLMSG_SPACE(sizeof(ifinfomsg)) + RTA_SPACE(sizeof(int)));
    request.header.nlmsg_len = sizeof(request);
    request.header.nlmsg_type = RTM_NEWLINK;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    request.link.ifi_index = static_cast<int>(::if_nametoindex(interface.c_str()));
    request.attribute.rta_type = IFLA_NET_NS_FD;
    request.attribute.rta_len = RTA_LENGTH(sizeof(int));
    request.netns = netns;
    Fd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    if (!socket || ::send(socket.get(), &request, sizeof(request), 0) < 0)
        return error_from_errno("ask to move " + interface);
    struct {
        nlmsghdr header;
        nlmsgerr answer;
        std::array<char, 256> rest;
    } reply{};
    if (::recv(socket.get(), &reply, sizeof(reply), 0) < 0 ||
        reply.header.nlmsg_type != NLMSG_ERROR)
        return error_from_errno("move " + interface);
    if (reply.answer.error != 0)
        return error_from_errno("move " + interface + " into a network namespace",
                                -reply.answer.error);
    return {};
}

// It does not wait to see whether its address is somebody else's, and takes none from others. As a
// default this comes too late for an interface whose driver is built into the kernel.
Result<void> keep_to_itself(const std::string& conf) {
    const std::string folder = "/proc/sys/net/ipv6/conf/" + conf;
    if (::access(folder.c_str(), F_OK) != 0) return {};  // a kernel without IPv6
    for (const char* knob : {"/accept_dad", "/accept_ra"})
        if (auto written = write_value(folder + knob, "0"); !written) return written;
    return {};
}

Result<void> address_and_start(const std::string& interface, const std::string& v4,
                               const std::string& v6, bool largest_mtu) {
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("open a socket");
    if (auto kept = keep_to_itself(interface); !kept) return kept;
    if (largest_mtu)
        if (auto set = set_largest_mtu(socket.get(), interface); !set) return set;
    if (auto set = set_up(socket.get(), interface); !set) return set;
    if (auto added = add_v4(socket.get(), interface, v4); !added) return added;
    return add_v6(interface, v6);
}

// The kernel looks at links once a second, and only then lets an interface send; asked about one,
// it looks at once (linkwatch_sync_dev in rtnl_getlink, net/core/rtnetlink.c).
void look_at_link(int netlink, const std::string& interface) {
    struct {
        nlmsghdr header;
        ifinfomsg link;
    } request{};
    request.header.nlmsg_len = sizeof(request);
    request.header.nlmsg_type = RTM_GETLINK;
    request.header.nlmsg_flags = NLM_F_REQUEST;
    request.link.ifi_index = static_cast<int>(::if_nametoindex(interface.c_str()));
    std::array<char, 64> start_of_answer{};
    if (::send(netlink, &request, sizeof(request), 0) > 0)
        ::recv(netlink, start_of_answer.data(), start_of_answer.size(), 0);
}

Result<void> wait_for_link(const std::string& interface, int milliseconds) {
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    Fd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
    const bool running = wait_until(milliseconds, [&] {
        look_at_link(netlink.get(), interface);
        ifreq request = request_for(interface);
        return ::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0 &&
               (request.ifr_flags & IFF_RUNNING) != 0;
    });
    if (!running) return Error{ETIMEDOUT, interface + " has no link."};
    return {};
}

}  // namespace

Result<void> prepare_namespace() {
    for (const char* which : {"all", "default"})
        if (auto kept = keep_to_itself(which); !kept) return kept;
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("open a socket");
    return set_up(socket.get(), "lo");
}

Result<PairInterfaces> configure_pair(const GuestPair& pair) {
    if (is_netdevsim(pair))
        if (auto created = create_netdevsim(pair); !created) return created.error();
    const int bind_bound = is_real(pair) ? kRealMilliseconds : kBindMilliseconds;
    const bool emulated = is_emulated(pair);
    const int link_bound = is_real(pair) ? kRealMilliseconds : kLinkMilliseconds;
    const Result<std::string> receiver = wait_for_interface(pair.receiver_pci, bind_bound);
    if (!receiver) return receiver.error();
    const Result<std::string> peer = wait_for_interface(pair.peer_pci, bind_bound);
    if (!peer) return peer.error();
    const Result<Fd> netns = create_namespace(pair.peer_netns);
    if (!netns) return netns.error();
    if (auto moved = move_interface(*peer, netns->get()); !moved) return moved.error();
    if (is_netdevsim(pair))
        if (auto linked = link_netdevsim(*receiver, *peer, netns->get()); !linked)
            return linked.error();

    if (auto started = address_and_start(*receiver, pair.local_v4, pair.local_v6, emulated);
        !started)
        return started.error();
    Fd own(::open(kOwnNamespace, O_RDONLY | O_CLOEXEC));
    if (auto entered = enter(netns->get()); !entered) return entered.error();
    const Defer back([&] { ::setns(own.get(), CLONE_NEWNET); });
    if (auto started = address_and_start(*peer, pair.peer_v4, pair.peer_v6, emulated); !started)
        return started.error();
    if (auto linked = wait_for_link(*peer, link_bound); !linked) return linked.error();
    if (auto entered = enter(own.get()); !entered) return entered.error();
    if (auto linked = wait_for_link(*receiver, link_bound); !linked) return linked.error();
    return PairInterfaces{*receiver, *peer};
}

}  // namespace zcrxlab
