// Parses routes and finds the longest prefix, without asking the kernel.
#include <arpa/inet.h>

#include <algorithm>
#include <span>

#include "harness/net/routes.hpp"

namespace zcrxlab {
namespace {

// The first `bits` bits are equal; both have so many.
bool same_prefix(std::span<const std::byte> a, std::span<const std::byte> b, unsigned bits) {
    const size_t whole = bits / 8;
    if (a.size() != b.size() || whole > a.size()) return false;
    if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin()))
        return false;
    const unsigned rest = bits % 8;
    if (rest == 0) return true;
    if (whole >= a.size()) return false;
    const auto mask = std::byte(0xff << (8 - rest));
    return (a[whole] & mask) == (b[whole] & mask);
}

}  // namespace

std::string to_text(const Route& route) {
    if (route.prefix == 0) return route.family == 4 ? "default" : "default (IPv6)";
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(route.family == 4 ? AF_INET : AF_INET6, route.network.data(), text, sizeof text);
    return std::string(text) + "/" + std::to_string(route.prefix);
}

std::vector<std::byte> address_bytes(std::string_view text) {
    const std::string copy(text);
    const bool six = copy.find(':') != std::string::npos;
    std::vector<std::byte> bytes(six ? 16 : 4);
    if (::inet_pton(six ? AF_INET6 : AF_INET, copy.c_str(), bytes.data()) != 1) return {};
    return bytes;
}

const Route* route_to(const std::vector<Route>& routes, std::string_view address) {
    const std::vector<std::byte> bytes = address_bytes(address);
    const Route* best = nullptr;
    for (const Route& route : routes) {
        if (bytes.empty() || !same_prefix(route.network, bytes, route.prefix)) continue;
        if (best == nullptr || route.prefix > best->prefix) best = &route;
    }
    return best;
}

bool overlaps(const Route& route, std::string_view network, uint8_t prefix) {
    const std::vector<std::byte> bytes = address_bytes(network);
    if (route.prefix == 0 || bytes.empty()) return false;
    return same_prefix(route.network, bytes, std::min(route.prefix, prefix));
}

}  // namespace zcrxlab
