// Reads and writes rules and RSS tables with ETHTOOL_*RXCLSRL* and ETHTOOL_*RSSH through
// SIOCETHTOOL.
#include "harness/net/flow_steering.hpp"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "harness/base/hex.hpp"

namespace zcrxlab {
namespace {

// Structures with a flexible array member, in memory of the right size and alignment.
template <typename T>
class WithArray {
  public:
    WithArray(size_t elements, size_t element_size)
        : words_((sizeof(T) + elements * element_size + 7) / 8) {}
    T* get() { return reinterpret_cast<T*>(words_.data()); }
    T* operator->() { return get(); }

  private:
    std::vector<uint64_t> words_;
};

Result<void> put_address(int family, const std::optional<std::string>& text, void* key, void* mask,
                         size_t size) {
    if (!text) return {};
    if (::inet_pton(family, text->c_str(), key) != 1)
        return Error{EINVAL, "\"" + *text + "\" is no address of the rule's family"};
    std::memset(mask, 0xff, size);
    return {};
}

void put_port(const std::optional<uint16_t>& port, __be16& key, __be16& mask,
              uint16_t bits = 0xffff) {
    if (!port) return;
    key = htons(*port & bits);
    mask = htons(bits);
}

}  // namespace

Result<ethtool_rx_flow_spec> to_flow_spec(const FlowRule& rule) {
    ethtool_rx_flow_spec spec{};
    // Of a context it is an offset to each queue of the table.
    spec.ring_cookie = rule.context ? 0 : rule.queue;
    spec.location = rule.location;
    Result<void> source, destination;
    if (rule.family == 6) {
        spec.flow_type = TCP_V6_FLOW;
        auto& key = spec.h_u.tcp_ip6_spec;
        auto& mask = spec.m_u.tcp_ip6_spec;
        source = put_address(AF_INET6, rule.source, key.ip6src, mask.ip6src, 16);
        destination = put_address(AF_INET6, rule.destination, key.ip6dst, mask.ip6dst, 16);
        put_port(rule.source_port, key.psrc, mask.psrc, rule.source_port_bits);
        put_port(rule.destination_port, key.pdst, mask.pdst);
    } else {
        spec.flow_type = TCP_V4_FLOW;
        auto& key = spec.h_u.tcp_ip4_spec;
        auto& mask = spec.m_u.tcp_ip4_spec;
        source = put_address(AF_INET, rule.source, &key.ip4src, &mask.ip4src, 4);
        destination = put_address(AF_INET, rule.destination, &key.ip4dst, &mask.ip4dst, 4);
        put_port(rule.source_port, key.psrc, mask.psrc, rule.source_port_bits);
        put_port(rule.destination_port, key.pdst, mask.pdst);
    }
    if (!source) return source.error();
    if (!destination) return destination.error();
    if (rule.context) spec.flow_type |= FLOW_RSS;
    return spec;
}

Result<FlowSteering> FlowSteering::open(const std::string& interface) {
    Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("make a socket for ethtool");
    if (interface.size() >= IFNAMSIZ)
        return Error{ENODEV, "\"" + interface + "\" is too long for an interface"};
    return FlowSteering(std::move(socket), interface);
}

Result<void> FlowSteering::call(void* command, const std::string& doing) {
    ifreq request{};
    std::memcpy(request.ifr_name, interface_.c_str(), interface_.size());
    request.ifr_data = static_cast<char*>(command);
    if (::ioctl(socket_.get(), SIOCETHTOOL, &request) != 0)
        return error_from_errno(doing + " of " + interface_);
    return {};
}

Result<uint32_t> FlowSteering::capacity() {
    ethtool_rxnfc counting{};
    counting.cmd = ETHTOOL_GRXCLSRLCNT;
    if (auto done = call(&counting, "count the flow rules"); !done) return done.error();
    return static_cast<uint32_t>(counting.data & ~RX_CLS_LOC_SPECIAL);
}

Result<uint32_t> FlowSteering::count() {
    ethtool_rxnfc counting{};
    counting.cmd = ETHTOOL_GRXCLSRLCNT;
    if (auto done = call(&counting, "count the flow rules"); !done) return done.error();
    return counting.rule_cnt;
}

Result<std::vector<uint32_t>> FlowSteering::list(uint32_t counted) {
    WithArray<ethtool_rxnfc> listing(counted, sizeof(uint32_t));
    listing->cmd = ETHTOOL_GRXCLSRLALL;
    listing->rule_cnt = counted;
    if (auto done = call(listing.get(), "list the flow rules"); !done) return done.error();
    const uint32_t listed = std::min(listing->rule_cnt, counted);
    std::vector<uint32_t> locations(listing->rule_locs, listing->rule_locs + listed);
    std::sort(locations.begin(), locations.end());
    return locations;
}

Result<std::vector<uint32_t>> FlowSteering::locations() {
    auto counted = count();
    while (counted) {
        auto listed = list(*counted);
        if (listed) return listed;
        // Drivers refuse where another program has put a rule in since, or taken one away.
        const auto now = count();
        if (now && *now == *counted) return listed.error();
        counted = now;
    }
    return counted.error();
}

Result<ethtool_rx_flow_spec> FlowSteering::rule(uint32_t location) {
    ethtool_rxnfc getting{};
    getting.cmd = ETHTOOL_GRXCLSRULE;
    getting.fs.location = location;
    if (auto done = call(&getting, "get flow rule " + std::to_string(location)); !done)
        return done.error();
    return getting.fs;
}

Result<void> FlowSteering::put_rule(const ethtool_rx_flow_spec& rule) {
    ethtool_rxnfc adding{};
    adding.cmd = ETHTOOL_SRXCLSRLINS;
    adding.fs = rule;
    return call(&adding, "put flow rule " + std::to_string(rule.location) + " back");
}

Result<std::string> FlowSteering::describe_rule(uint32_t location) {
    const auto found = rule(location);
    if (!found) return found.error();
    const ethtool_rx_flow_spec& spec = *found;
    std::string text = "type " + std::to_string(spec.flow_type);
    if (spec.flow_type == TCP_V4_FLOW) {
        const auto& key = spec.h_u.tcp_ip4_spec;
        text +=
            " port " + std::to_string(ntohs(key.psrc)) + " -> " + std::to_string(ntohs(key.pdst));
    } else if (spec.flow_type == TCP_V6_FLOW) {
        const auto& key = spec.h_u.tcp_ip6_spec;
        text +=
            " port " + std::to_string(ntohs(key.psrc)) + " -> " + std::to_string(ntohs(key.pdst));
    }
    return text + " to queue " + std::to_string(spec.ring_cookie) + " key " +
           hex_of(std::as_bytes(std::span(&spec.h_u, 1))) + " mask " +
           hex_of(std::as_bytes(std::span(&spec.m_u, 1)));
}

Result<uint32_t> FlowSteering::add_rule(const FlowRule& rule) {
    ethtool_rxnfc counting{};
    counting.cmd = ETHTOOL_GRXCLSRLCNT;
    if (auto done = call(&counting, "count the flow rules"); !done) return done.error();
    auto spec = to_flow_spec(rule);
    if (!spec) return spec.error();
    if ((counting.data & RX_CLS_LOC_SPECIAL) != 0) {
        spec->location = RX_CLS_LOC_ANY;
    } else {
        auto taken = locations();
        if (!taken) return taken.error();
        uint32_t free = 0;
        while (std::binary_search(taken->begin(), taken->end(), free)) ++free;
        if (free >= counting.data) {
            return Error{ENOSPC, "all " + std::to_string(counting.data) + " flow rules of " +
                                     interface_ + " are in use; type: ethtool -n " + interface_};
        }
        spec->location = free;
    }
    ethtool_rxnfc adding{};
    adding.cmd = ETHTOOL_SRXCLSRLINS;
    adding.fs = *spec;
    adding.rss_context = rule.context.value_or(0);
    const std::string doing =
        rule.context ? "add a flow rule to RSS context " + std::to_string(*rule.context)
                     : "add a flow rule to queue " + std::to_string(rule.queue);
    if (auto done = call(&adding, doing); !done) return done.error();
    return adding.fs.location;
}

Result<void> FlowSteering::remove_rule(uint32_t location) {
    ethtool_rxnfc removing{};
    removing.cmd = ETHTOOL_SRXCLSRLDEL;
    removing.fs.location = location;
    return call(&removing, "remove flow rule " + std::to_string(location));
}

Result<Rss> FlowSteering::rss() {
    ethtool_rxfh sizes{};
    sizes.cmd = ETHTOOL_GRSSH;
    if (auto done = call(&sizes, "get the RSS table size"); !done) return done.error();
    const size_t table_bytes = size_t{sizes.indir_size} * sizeof(uint32_t);
    WithArray<ethtool_rxfh> getting(table_bytes + sizes.key_size, 1);
    getting->cmd = ETHTOOL_GRSSH;
    getting->indir_size = sizes.indir_size;
    getting->key_size = sizes.key_size;
    if (auto done = call(getting.get(), "get the RSS table"); !done) return done.error();
    Rss rss;
    rss.function = getting->hfunc;
    rss.table.assign(getting->rss_config, getting->rss_config + sizes.indir_size);
    const auto* key = reinterpret_cast<const std::byte*>(getting->rss_config) + table_bytes;
    rss.key.assign(key, key + sizes.key_size);
    return rss;
}

Result<void> FlowSteering::set_rss(const Rss& rss) {
    const size_t table_bytes = rss.table.size() * sizeof(uint32_t);
    WithArray<ethtool_rxfh> setting(table_bytes + rss.key.size(), 1);
    setting->cmd = ETHTOOL_SRSSH;
    setting->indir_size =
        rss.table.empty() ? ETH_RXFH_INDIR_NO_CHANGE : static_cast<uint32_t>(rss.table.size());
    setting->key_size = static_cast<uint32_t>(rss.key.size());
    auto* config = reinterpret_cast<std::byte*>(setting->rss_config);
    if (!rss.table.empty()) std::memcpy(config, rss.table.data(), table_bytes);
    if (!rss.key.empty()) std::memcpy(config + table_bytes, rss.key.data(), rss.key.size());
    return call(setting.get(), "set the RSS table");
}

Result<uint32_t> FlowSteering::add_rss_context(const std::vector<uint32_t>& table) {
    WithArray<ethtool_rxfh> setting(table.size(), sizeof(uint32_t));
    setting->cmd = ETHTOOL_SRSSH;
    setting->rss_context = ETH_RXFH_CONTEXT_ALLOC;
    setting->indir_size = static_cast<uint32_t>(table.size());
    std::ranges::copy(table, setting->rss_config);
    if (auto done = call(setting.get(), "add an RSS context"); !done) return done.error();
    return setting->rss_context;
}

Result<void> FlowSteering::remove_rss_context(uint32_t context) {
    ethtool_rxfh setting{};
    setting.cmd = ETHTOOL_SRSSH;  // a table of size 0: remove it
    setting.rss_context = context;
    return call(&setting, "remove RSS context " + std::to_string(context));
}

Result<void> FlowSteering::reset_rss() {
    ethtool_rxfh setting{};
    setting.cmd = ETHTOOL_SRSSH;  // a table of size 0: the default
    return call(&setting, "reset the RSS table");
}

}  // namespace zcrxlab
