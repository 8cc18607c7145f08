// ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS and ETHTOOL_GSTATS through SIOCETHTOOL.
#include "harness/net/driver_statistics.hpp"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "harness/base/fd.hpp"

namespace zcrxlab {
namespace {

// Storage for an ethtool structure with a tail of `bytes`; it begins with its number.
template <typename Header>
struct Request {
    Request(uint32_t command, size_t bytes) : storage(sizeof(Header) / 8 + bytes / 8 + 2) {
        header().cmd = command;
    }
    Header& header() { return *reinterpret_cast<Header*>(storage.data()); }
    const std::byte* tail() const {
        return reinterpret_cast<const std::byte*>(storage.data()) + sizeof(Header);
    }
    std::vector<uint64_t> storage;
};

Result<void> call(int socket, const std::string& interface, void* command) {
    ifreq request{};
    std::memcpy(request.ifr_name, interface.c_str(), interface.size());
    request.ifr_data = static_cast<char*>(command);
    if (::ioctl(socket, SIOCETHTOOL, &request) != 0)
        return error_from_errno("read the driver's statistics of " + interface);
    return {};
}

}  // namespace

Result<std::map<std::string, uint64_t>> driver_statistics(const std::string& interface) {
    if (interface.size() >= IFNAMSIZ)
        return Error{ENODEV, "\"" + interface + "\" is too long for an interface"};
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("make a socket for ethtool");

    Request<ethtool_sset_info> sizes(ETHTOOL_GSSET_INFO, sizeof(uint32_t));
    sizes.header().sset_mask = uint64_t{1} << ETH_SS_STATS;
    if (auto done = call(socket.get(), interface, &sizes.header()); !done) return done.error();
    if (sizes.header().sset_mask == 0)
        return Error{EOPNOTSUPP, "The driver of " + interface + " has no statistics"};
    uint32_t count = 0;
    std::memcpy(&count, sizes.tail(), sizeof count);

    Request<ethtool_gstrings> names(ETHTOOL_GSTRINGS, size_t{count} * ETH_GSTRING_LEN);
    names.header().string_set = ETH_SS_STATS;
    names.header().len = count;
    if (auto done = call(socket.get(), interface, &names.header()); !done) return done.error();
    Request<ethtool_stats> values(ETHTOOL_GSTATS, count * sizeof(uint64_t));
    values.header().n_stats = count;
    if (auto done = call(socket.get(), interface, &values.header()); !done) return done.error();
    // The kernel writes as many as there are; another number of queues in between is another list.
    if (names.header().len != count || values.header().n_stats != count)
        return Error{EAGAIN, "The statistics of " + interface + " changed while they were read"};

    std::map<std::string, uint64_t> statistics;
    for (uint32_t i = 0; i < count; ++i) {
        const char* name = reinterpret_cast<const char*>(names.tail()) + i * ETH_GSTRING_LEN;
        uint64_t value = 0;
        std::memcpy(&value, values.tail() + i * sizeof value, sizeof value);
        statistics.emplace(std::string(name, ::strnlen(name, ETH_GSTRING_LEN)), value);
    }
    return statistics;
}

}  // namespace zcrxlab
