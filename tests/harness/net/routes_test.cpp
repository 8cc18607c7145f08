// Routes: what the kernel tells, and where an address leads.
#include <gtest/gtest.h>

#include "harness/net/routes.hpp"
#include "tests/harness/net/hex.hpp"

namespace zcrxlab {
namespace {

// struct rtmsg (family, length of the destination, ..., type), then attributes.
NetlinkMessage message(const std::string& hex) {
    return {24, 0, 1, from_hex(hex)};
}

TEST(Route, ADefaultRouteThroughAGateway) {
    const auto route =
        decode_route(message("020000000304000100000000"
                             "08000500c0000201"
                             "0800040002000000"));
    ASSERT_TRUE(route) << route.error().sentence;
    EXPECT_EQ(route->family, 4);
    EXPECT_EQ(route->prefix, 0);
    EXPECT_TRUE(route->gateway);
    EXPECT_EQ(route->interfaces, (std::vector<uint32_t>{2}));
    EXPECT_EQ(to_text(*route), "default");
}

TEST(Route, EachWayOfAMultipathRoute) {
    // RTA_MULTIPATH: two next hops, the first of which has a gateway inside.
    const auto route =
        decode_route(message("020800000304000100000000"
                             "080001000a000000"
                             "1c000900"
                             "1000000003000000"
                             "08000500c0000201"
                             "0800000004000000"));
    ASSERT_TRUE(route) << route.error().sentence;
    EXPECT_EQ(route->interfaces, (std::vector<uint32_t>{3, 4}));
    EXPECT_TRUE(route->gateway);
    EXPECT_EQ(to_text(*route), "10.0.0.0/8");
}

TEST(Route, WrongLengthsAreRefused) {
    // Too short; a prefix of 33 bits; a destination of another family; a next hop beyond its end.
    for (const char* hex :
         {"0208", "022100000304000100000000", "0208000003040001000000000500010000000000",
          "0208000003040001000000000c000900ff00000003000000"}) {
        const auto route = decode_route(message(hex));
        ASSERT_FALSE(route) << hex;
        EXPECT_EQ(route.error().code, EBADMSG);
    }
}

TEST(Route, OnlyUnicastOfIpHasAWayOut) {
    // RTN_LOCAL; a family that is none of ours.
    for (const char* hex :
         {"0220000003040002000000000800040002000000", "0720000003040001000000000800040002000000"}) {
        const auto route = decode_route(message(hex));
        ASSERT_TRUE(route) << hex;
        EXPECT_TRUE(route->interfaces.empty());
    }
}

Route to(const std::string& network, uint8_t prefix, uint32_t interface) {
    Route route;
    route.network = address_bytes(network);
    route.family = route.network.size() == 4 ? 4 : 6;
    route.prefix = prefix;
    route.interfaces = {interface};
    return route;
}

TEST(RouteTo, TheLongestPrefixWins) {
    const std::vector<Route> routes{to("0.0.0.0", 0, 1), to("192.0.2.0", 24, 2),
                                    to("192.0.2.128", 25, 3), to("fd00::", 8, 4)};
    EXPECT_EQ(route_to(routes, "203.0.113.1")->interfaces[0], 1U);
    EXPECT_EQ(route_to(routes, "192.0.2.1")->interfaces[0], 2U);
    EXPECT_EQ(route_to(routes, "192.0.2.129")->interfaces[0], 3U);
    EXPECT_EQ(route_to(routes, "fd12::1")->interfaces[0], 4U);
    EXPECT_EQ(route_to(routes, "fe80::1"), nullptr);
    EXPECT_EQ(route_to(routes, "no address"), nullptr);
}

TEST(Overlaps, WhereTheShorterPrefixHoldsBoth) {
    EXPECT_TRUE(overlaps(to("198.18.0.0", 15, 1), "198.19.7.0", 24));
    EXPECT_TRUE(overlaps(to("198.18.7.128", 25, 1), "198.18.7.0", 24));
    EXPECT_FALSE(overlaps(to("198.18.6.0", 24, 1), "198.18.7.0", 24));
    EXPECT_FALSE(overlaps(to("0.0.0.0", 0, 1), "198.18.7.0", 24));
    EXPECT_FALSE(overlaps(to("fd00::", 8, 1), "198.18.7.0", 24));
}

}  // namespace
}  // namespace zcrxlab
