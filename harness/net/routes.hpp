// The routes of a network namespace: where packets to an address leave it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/net/netlink_message.hpp"

namespace zcrxlab {

struct Route {
    uint8_t family = 4;                // 4 or 6
    std::vector<std::byte> network;    // 4 or 16 bytes; those of a default route are 0
    uint8_t prefix = 0;                // bits; 0 is a default route
    std::vector<uint32_t> interfaces;  // ifindex of each way out; several where it is multipath
    bool gateway = false;              // another host is asked to pass the packets on
    bool operator==(const Route&) const = default;
};

// Unicast routes of all tables, IPv4 and IPv6, without link-local ones and multicast.
Result<std::vector<Route>> read_routes();
// EBADMSG for what is no route; one of another type or family has no interfaces.
Result<Route> decode_route(const NetlinkMessage& message);

// "192.0.2.0/24", "default" (with the family: "default (IPv6)").
std::string to_text(const Route& route);
// 4 or 16 bytes of "192.0.2.1" or "fd00::1"; empty if it is no address.
std::vector<std::byte> address_bytes(std::string_view text);
// The most specific route to an address, or null.
const Route* route_to(const std::vector<Route>& routes, std::string_view address);
// Whether some address belongs to both networks; default routes overlap nothing.
bool overlaps(const Route& route, std::string_view network, uint8_t prefix);

}  // namespace zcrxlab
