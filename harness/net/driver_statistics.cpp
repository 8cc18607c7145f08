// Reads a driver's statistics with ETHTOOL_GSTATS through SIOCETHTOOL.
#include "harness/net/driver_statistics.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include "harness/net/ethtool_ioctl.hpp"

namespace zcrxlab {

Result<std::map<std::string, uint64_t>> driver_statistics(const std::string& interface) {
    const std::string doing = "read the driver's statistics";
    const auto ethtool = EthtoolIoctl::open(interface);
    if (!ethtool) return ethtool.error();
    const auto names = ethtool->strings(ETH_SS_STATS, doing);
    if (!names) return names.error();
    const auto count = static_cast<uint32_t>(names->size());
    EthtoolRequest<ethtool_stats> values(ETHTOOL_GSTATS, count * sizeof(uint64_t));
    values.header().n_stats = count;
    if (auto done = ethtool->call(&values.header(), doing); !done) return done.error();
    // The kernel writes as many as there are; another number of queues in between is another list.
    if (values.header().n_stats != count)
        return Error{EAGAIN, "The statistics of " + interface + " changed while they were read"};

    std::map<std::string, uint64_t> statistics;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t value = 0;
        std::memcpy(&value, values.tail() + i * sizeof value, sizeof value);
        statistics.emplace((*names)[i], value);
    }
    return statistics;
}

}  // namespace zcrxlab
