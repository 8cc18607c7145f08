// Calls SIOCETHTOOL, and reads the sets of strings behind ETHTOOL_GSTRINGS.
#include "harness/net/ethtool_ioctl.hpp"

#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace zcrxlab {

Result<EthtoolIoctl> EthtoolIoctl::open(const std::string& interface) {
    if (interface.size() >= IFNAMSIZ)
        return Error{ENODEV, "\"" + interface + "\" is too long for an interface"};
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("make a socket for ethtool");
    return EthtoolIoctl(std::move(socket), interface);
}

Result<void> EthtoolIoctl::call(void* command, const std::string& doing) const {
    ifreq request{};
    std::memcpy(request.ifr_name, interface_.c_str(), interface_.size());
    request.ifr_data = static_cast<char*>(command);
    if (::ioctl(socket_.get(), SIOCETHTOOL, &request) != 0)
        return error_from_errno(doing + " of " + interface_);
    return {};
}

Result<std::vector<std::string>> EthtoolIoctl::strings(uint32_t set,
                                                       const std::string& doing) const {
    EthtoolRequest<ethtool_sset_info> sizes(ETHTOOL_GSSET_INFO, sizeof(uint32_t));
    sizes.header().sset_mask = uint64_t{1} << set;
    if (auto done = call(&sizes.header(), doing); !done) return done.error();
    uint32_t count = 0;
    std::memcpy(&count, sizes.tail(), sizeof count);
    if (sizes.header().sset_mask == 0 || count == 0)
        return Error{EOPNOTSUPP, doing + ": the driver of " + interface_ + " has none"};

    EthtoolRequest<ethtool_gstrings> names(ETHTOOL_GSTRINGS, size_t{count} * ETH_GSTRING_LEN);
    names.header().string_set = set;
    names.header().len = count;
    if (auto done = call(&names.header(), doing); !done) return done.error();
    // The kernel writes as many as there are; another number in between is another list.
    if (names.header().len != count)
        return Error{EAGAIN, doing + ": they changed while they were read"};
    std::vector<std::string> strings;
    for (uint32_t i = 0; i < count; ++i) {
        const char* name = reinterpret_cast<const char*>(names.tail()) + i * ETH_GSTRING_LEN;
        strings.emplace_back(name, ::strnlen(name, ETH_GSTRING_LEN));
    }
    return strings;
}

}  // namespace zcrxlab
