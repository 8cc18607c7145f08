// Steering: which receive queue a packet goes to, as the driver set it up: RSS and flow rules.
#include "nic/models/gve/gve_steering.hpp"

#include <algorithm>
#include <cstring>

namespace zcrxlab::nic::gve {
namespace {

// The key of Microsoft's RSS specification ("Verifying the RSS Hash Calculation"), so that a
// capture's hashes can be checked by hand.
constexpr std::array<uint8_t, kRssKeySize> kDefaultKey = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

std::array<uint16_t, kRssTableSize> spread(uint16_t queues) {
    std::array<uint16_t, kRssTableSize> out{};
    for (uint16_t i = 0; i < out.size() && queues != 0; ++i) out[i] = i % queues;
    return out;
}

bool is_v6(FlowType type) {
    return type >= FlowType::kTcpV6;
}

// The wire matches TCP and UDP by port and everything else by address alone, so that a rule for
// SCTP, AH or ESP would catch more than it says: it is kept and shown, but steers nothing.
bool reduce(uint32_t location, const FlowRuleLayout& rule, FlowRule& out) {
    auto type = static_cast<FlowType>(rule.type.get());
    switch (type) {
        case FlowType::kTcpV4:
        case FlowType::kTcpV6:
            out.l4 = L4::kTcp;
            break;
        case FlowType::kUdpV4:
        case FlowType::kUdpV6:
            out.l4 = L4::kUdp;
            break;
        default:
            return false;
    }
    out.location = location;
    out.queue = rule.action;
    out.l3 = is_v6(type) ? L3::kIpv6 : L3::kIpv4;
    size_t address = is_v6(type) ? 16 : 4;
    std::memcpy(out.source, rule.key.source, address);
    std::memcpy(out.source_mask, rule.mask.source, address);
    std::memcpy(out.destination, rule.key.destination, address);
    std::memcpy(out.destination_mask, rule.mask.destination, address);
    out.source_port = rule.key.source_port;
    out.source_port_mask = rule.mask.source_port;
    out.destination_port = rule.key.destination_port;
    out.destination_port_mask = rule.mask.destination_port;
    out.traffic_class = rule.key.traffic_class;
    out.traffic_class_mask = rule.mask.traffic_class;
    return true;
}

}  // namespace

void Steering::reset() {
    key_ = kDefaultKey;
    table_.fill(0);
    default_table_ = true;
    hash_types_ = kHashTypesDefault;
    rules_.clear();
}

void Steering::set_key(std::span<const uint8_t, kRssKeySize> key) {
    std::copy(key.begin(), key.end(), key_.begin());
}

void Steering::set_table(std::span<const uint16_t, kRssTableSize> table, uint16_t queues) {
    std::copy(table.begin(), table.end(), table_.begin());
    default_table_ = queues != 0 && table_ == spread(queues);
}

std::array<uint16_t, kRssTableSize> Steering::table(uint16_t queues) const {
    return default_table_ ? spread(queues) : table_;
}

void Steering::apply(uint16_t queues, ReceiveSettings& settings) const {
    settings.rss_key.assign(key_.begin(), key_.end());
    auto table_now = table(queues);
    settings.rss_table.assign(table_now.begin(), table_now.end());
    settings.rules.clear();
    for (const auto& [location, rule] : rules_) {
        FlowRule reduced;
        if (reduce(location, rule, reduced)) settings.rules.push_back(reduced);
    }
}

}  // namespace zcrxlab::nic::gve
