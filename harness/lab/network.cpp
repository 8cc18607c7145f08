// Tries the networks of a list in turn until one is not routed.
#include "harness/lab/network.hpp"

#include <fmt/format.h>

namespace zcrxlab {
namespace {

constexpr unsigned kNetworks = 512;  // of /24 in 198.18.0.0/15

bool is_free(const std::vector<Route>& routes, const LabNetwork& network) {
    for (const Route& route : routes)
        if (overlaps(route, network.local_v4, 24) || overlaps(route, network.local_v6, 64))
            return false;
    return true;
}

}  // namespace

std::optional<LabNetwork> free_network(const std::vector<Route>& routes) {
    for (unsigned i = 0; i < kNetworks; ++i) {
        const std::string four = fmt::format("198.{}.{}.", 18 + i / 256, i % 256);
        const std::string six = fmt::format("fd7a:6372:7800:{:x}::", i + 1);
        LabNetwork network{four + "1", four + "2", six + "1", six + "2"};
        if (is_free(routes, network)) return network;
    }
    return std::nullopt;
}

}  // namespace zcrxlab
