// Reads the ports of this machine from /proc, /sys and getifaddrs().
#include "harness/lab/peer_program/own_ports.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <net/route.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "harness/base/file.hpp"
#include "harness/base/number.hpp"
#include "harness/lab/driver_table.hpp"
#include "harness/lab/guard.hpp"

namespace zcrxlab {
namespace {

namespace fs = std::filesystem;

template <typename Number>
bool from_hex(std::string_view text, Number& number) {
    const auto read = number_from_hex<Number>(text);
    if (read) number = *read;
    return read.has_value();
}

uint32_t index_of(const std::vector<PortFacts>& ports, const std::string& interface) {
    for (const PortFacts& port : ports)
        if (port.interface == interface) return port.ifindex;
    return 0;
}

// "192.0.2.1/24"; empty for a link-local address, or none.
std::string text_of(const ifaddrs& entry) {
    if (entry.ifa_addr == nullptr || entry.ifa_netmask == nullptr) return {};
    const int family = entry.ifa_addr->sa_family;
    std::vector<std::byte> bytes(family == AF_INET6 ? 16 : 4), mask(bytes.size());
    const auto copy = [&](const sockaddr* from, std::vector<std::byte>& to) {
        const void* at =
            family == AF_INET6
                ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr)
                : &reinterpret_cast<const sockaddr_in*>(from)->sin_addr;
        std::memcpy(to.data(), at, to.size());
    };
    if (family != AF_INET && family != AF_INET6) return {};
    copy(entry.ifa_addr, bytes);
    copy(entry.ifa_netmask, mask);
    if (family == AF_INET6 && bytes[0] == std::byte(0xfe) &&
        (bytes[1] & std::byte(0xc0)) == std::byte(0x80))
        return {};
    int prefix = 0;
    for (const std::byte byte : mask) prefix += std::popcount(std::to_integer<uint8_t>(byte));
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(family, bytes.data(), text, sizeof text);
    return std::string(text) + "/" + std::to_string(prefix);
}

uint32_t mtu_of(const fs::path& root, const std::string& interface) {
    return static_cast<uint32_t>(std::strtoul(
        text_of_file(root / "sys/class/net" / interface / "mtu").c_str(), nullptr, 10));
}

FarPort described(const fs::path& root, const PortFacts& port, const MachineFacts& machine) {
    FarPort far{port.interface, port.address, port.driver, mtu_of(root, port.interface), {}};
    far.refusals = why_not_to_take(port, machine, {port.interface});
    if (!port.up)
        far.refusals.push_back(port.interface + " is down; type there: ip link set " +
                               port.interface + " up");
    return far;
}

}  // namespace

std::vector<Route> routes_in_text(std::string_view four, std::string_view six,
                                  const std::vector<PortFacts>& ports) {
    std::vector<Route> routes;
    std::istringstream lines{std::string(four)};
    std::string line;
    std::getline(lines, line);  // of names
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string interface, network, gateway, flags, skipped, mask;
        words >> interface >> network >> gateway >> flags >> skipped >> skipped >> skipped >> mask;
        uint32_t address = 0, bits = 0, set = 0;
        const uint32_t index = index_of(ports, interface);
        if (index == 0 || !from_hex(network, address) || !from_hex(mask, bits) ||
            !from_hex(flags, set))
            continue;
        Route route;
        route.network.resize(sizeof address);
        // As the words lie in memory, which is the order of the network.
        std::memcpy(route.network.data(), &address, sizeof address);
        route.prefix = static_cast<uint8_t>(std::popcount(bits));
        route.gateway = (set & RTF_GATEWAY) != 0;
        route.interfaces = {index};
        routes.push_back(std::move(route));
    }
    std::istringstream more{std::string(six)};
    while (std::getline(more, line)) {
        std::istringstream words(line);
        std::string network, prefix, skipped, gateway, flags, interface;
        words >> network >> prefix >> skipped >> skipped >> gateway >> skipped >> skipped >>
            skipped >> flags >> interface;
        uint8_t bits = 0;
        uint32_t set = 0;
        const uint32_t index = index_of(ports, interface);
        if (index == 0 || network.size() != 32 || !from_hex(prefix, bits) || bits > 128 ||
            !from_hex(flags, set) || (set & RTF_REJECT) != 0)
            continue;
        Route route;
        route.family = 6;
        for (size_t at = 0; at < network.size(); at += 2) {
            uint8_t byte = 0;
            if (!from_hex(std::string_view(network).substr(at, 2), byte)) break;
            route.network.push_back(std::byte(byte));
        }
        if (route.network.size() != 16) continue;
        route.prefix = bits;
        route.gateway = gateway.find_first_not_of('0') != std::string::npos;
        route.interfaces = {index};
        // Link-local and multicast ones lead nowhere that anybody would miss.
        if (route.prefix >= 8 && route.network[0] >= std::byte(0xfe)) continue;
        routes.push_back(std::move(route));
    }
    return routes;
}

bool switches_by_id(const PortFacts& port) {
    return port.switches && !driver_row(port.driver).always_has_switch_id;
}

std::vector<PortFacts> own_ports() {
    std::vector<PortFacts> ports;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/sys/class/net", error)) {
        auto port = port_in_tree("/", entry.path().filename());
        if (!port || port->interface == "lo" || port->address.size() != 17) continue;
        port->switches = switches_by_id(*port);
        ports.push_back(std::move(*port));
    }
    std::sort(ports.begin(), ports.end(),
              [](const auto& a, const auto& b) { return a.ifindex < b.ifindex; });
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return ports;
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next)
        for (PortFacts& port : ports)
            if (const std::string text = text_of(*entry);
                port.interface == entry->ifa_name && !text.empty())
                port.addresses.push_back(text);
    ::freeifaddrs(all);
    return ports;
}

MachineFacts own_machine(const std::vector<PortFacts>& ports) {
    MachineFacts machine = machine_in_tree("/");
    machine.routes = routes_in_text(text_of_file("/proc/net/route"),
                                    text_of_file("/proc/net/ipv6_route"), ports);
    for (const PortFacts& port : ports)
        if (port.up && port.carrier) machine.links_up.push_back(port.interface);
    if (const char* session = std::getenv("SSH_CONNECTION")) add_ssh_session(machine, session);
    return machine;
}

Result<FarPort> choose_port(const fs::path& root, const std::string& interface,
                            const MachineFacts& machine, const std::vector<PortFacts>& ports) {
    std::string names;
    std::vector<FarPort> fit;
    for (const PortFacts& port : ports) {
        names += (names.empty() ? "" : ", ") + port.interface;
        FarPort far = described(root, port, machine);
        if (port.interface == interface) return far;
        if (interface.empty() && port.carrier && far.refusals.empty())
            fit.push_back(std::move(far));
    }
    if (names.empty()) names = "none";
    if (!interface.empty())
        return Error{ENODEV, "there is no port " + interface + "; there are " + names};
    if (fit.size() == 1) return fit.front();
    if (fit.empty())
        return Error{ENODEV, "no port is up, has a link, and is needed by nobody; there are " +
                                 names + ". To hear what is against one, name it"};
    names.clear();
    for (const FarPort& port : fit) names += (names.empty() ? "" : ", ") + port.interface;
    return Error{ENODEV, "several ports could be meant, so name one: " + names};
}

}  // namespace zcrxlab
