// Combines what the interface can do with what the simulated device can do.
#include "harness/targets/netdevsim_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstring>

#include "harness/base/fd.hpp"
#include "harness/net/namespace.hpp"

namespace zcrxlab {
namespace {

constexpr const char* kLinkFile = "/sys/bus/netdevsim/link_device";

// SIOCGIFHWADDR or SIOCSIFHWADDR.
Result<sockaddr> hardware_address(const std::string& interface, unsigned long request,
                                  const sockaddr& address) {
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq value{};
    std::strncpy(value.ifr_name, interface.c_str(), IFNAMSIZ - 1);
    value.ifr_hwaddr = address;
    if (::ioctl(socket.get(), request, &value) != 0)
        return error_from_errno("get or set the Ethernet address of " + interface);
    return value.ifr_hwaddr;
}

}  // namespace

Result<std::unique_ptr<NetdevsimTarget>> NetdevsimTarget::open(std::string name,
                                                               Endpoints endpoints) {
    auto device = NetdevsimDevice::open(endpoints.interface);
    if (!device) return device.error();
    auto nic = NicTarget::open(std::move(name), std::move(endpoints), "");
    if (!nic) return nic.error();
    std::unique_ptr<NetdevsimTarget> target(
        new NetdevsimTarget(std::move(*nic), std::move(*device)));
    const auto address = hardware_address(target->endpoints().interface, SIOCGIFHWADDR, {});
    if (!address) return address.error();
    target->address_ = *address;
    target->abilities_.dma_log = target->device_.has_log();
    target->abilities_.faults = target->device_.takes_faults();
    target->abilities_.outages = target->device_.has_outages();
    return target;
}

Result<void> NetdevsimTarget::reconnect() {
    const Endpoints& ends = endpoints();
    const auto address = hardware_address(ends.interface, SIOCSIFHWADDR, address_);
    if (!address) return address.error();
    const Fd own(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!own) return error_from_errno("open the network namespace of this process");
    const Fd other(::open(ends.peer_namespace.c_str(), O_RDONLY | O_CLOEXEC));
    if (!other) return error_from_errno("open " + ends.peer_namespace);
    const auto peer = in_namespace_get<unsigned>(ends.peer_namespace, [&]() -> Result<unsigned> {
        return ::if_nametoindex(ends.peer_interface.c_str());
    });
    if (!peer) return peer.error();
    const std::string pair = fmt::format(
        "{}:{} {}:{}", own.get(), ::if_nametoindex(ends.interface.c_str()), other.get(), *peer);
    const Fd file(::open(kLinkFile, O_WRONLY | O_CLOEXEC));
    if (!file || ::write(file.get(), pair.data(), pair.size()) < 0)
        return error_from_errno("write \"" + pair + "\" to " + kLinkFile);
    return {};
}

}  // namespace zcrxlab
