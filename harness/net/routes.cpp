// Asks the kernel for routes with RTM_GETROUTE.
#include "harness/net/routes.hpp"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "harness/net/netlink_socket.hpp"

namespace zcrxlab {
namespace {

// Adds the ways out of RTA_MULTIPATH: struct rtnexthop, each with attributes behind it.
Result<void> take_multipath(std::span<const std::byte> payload, Route& route) {
    while (payload.size() >= sizeof(rtnexthop)) {
        rtnexthop hop;
        std::memcpy(&hop, payload.data(), sizeof hop);
        if (hop.rtnh_len < sizeof hop || hop.rtnh_len > payload.size())
            return Error{EBADMSG, "a next hop of a route has an impossible length"};
        route.interfaces.push_back(static_cast<uint32_t>(hop.rtnh_ifindex));
        auto attributes = parse_attributes(payload.subspan(sizeof hop, hop.rtnh_len - sizeof hop));
        if (!attributes) return attributes.error();
        route.gateway = route.gateway || find_attribute(*attributes, RTA_GATEWAY) != nullptr ||
                        find_attribute(*attributes, RTA_VIA) != nullptr;
        payload = payload.subspan(std::min<size_t>(RTNH_ALIGN(hop.rtnh_len), payload.size()));
    }
    return {};
}

bool is_link_local(const Route& route) {
    if (route.family != 6 || route.prefix < 10) return false;
    return route.network[0] == std::byte(0xfe) &&
           (route.network[1] & std::byte(0xc0)) == std::byte(0x80);
}

}  // namespace

Result<Route> decode_route(const NetlinkMessage& message) {
    rtmsg info;
    if (message.payload.size() < sizeof info)
        return Error{EBADMSG, "the kernel's answer about a route is too short"};
    std::memcpy(&info, message.payload.data(), sizeof info);
    auto attributes = message.attributes(sizeof info);
    if (!attributes) return attributes.error();
    Route route;
    if (info.rtm_type != RTN_UNICAST || (info.rtm_family != AF_INET && info.rtm_family != AF_INET6))
        return route;
    route.family = info.rtm_family == AF_INET ? 4 : 6;
    route.network.resize(route.family == 4 ? 4 : 16);
    route.prefix = info.rtm_dst_len;
    if (route.prefix > route.network.size() * 8)
        return Error{EBADMSG, "the kernel tells of a route with a prefix of " +
                                  std::to_string(route.prefix) + " bits"};
    if (const auto* network = find_attribute(*attributes, RTA_DST)) {
        if (network->payload.size() != route.network.size())
            return Error{EBADMSG, "the kernel tells of a route to an address of another family"};
        route.network.assign(network->payload.begin(), network->payload.end());
    }
    if (const auto* out = find_attribute(*attributes, RTA_OIF)) {
        auto index = out->u32();
        if (!index) return index.error();
        route.interfaces.push_back(*index);
    }
    route.gateway = find_attribute(*attributes, RTA_GATEWAY) != nullptr ||
                    find_attribute(*attributes, RTA_VIA) != nullptr;
    if (const auto* hops = find_attribute(*attributes, RTA_MULTIPATH))
        if (auto taken = take_multipath(hops->payload, route); !taken) return taken.error();
    return route;
}

Result<std::vector<Route>> read_routes() {
    auto socket = NetlinkSocket::open(NETLINK_ROUTE);
    if (!socket) return socket.error();
    std::vector<Route> routes;
    for (const uint8_t family : {AF_INET, AF_INET6}) {
        NetlinkRequest request(RTM_GETROUTE, NLM_F_DUMP);
        rtmsg info{};
        info.rtm_family = family;
        request.fixed(std::as_bytes(std::span(&info, 1)));
        auto messages = socket->call(std::move(request), "list the routes");
        if (!messages) {
            // A kernel without IPv6 has no routes of it.
            if (family == AF_INET6 && messages.error().code == EOPNOTSUPP) continue;
            return messages.error();
        }
        for (const NetlinkMessage& message : *messages) {
            auto route = decode_route(message);
            if (!route) return route.error();
            if (route->interfaces.empty() || is_link_local(*route)) continue;
            routes.push_back(std::move(*route));
        }
    }
    return routes;
}

}  // namespace zcrxlab
