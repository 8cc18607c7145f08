// Steering: which receive queue a packet goes to.
#include "nic/wire/steering.hpp"

#include <algorithm>
#include <bit>

namespace zcrxlab::nic {
namespace {

bool same_under(const uint8_t* value, const uint8_t* wanted, const uint8_t* mask, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (((value[i] ^ wanted[i]) & mask[i]) != 0) return false;
    }
    return true;
}

bool same_under(unsigned value, unsigned wanted, unsigned mask) {
    return ((value ^ wanted) & mask) == 0;
}

bool matches(const FlowRule& rule, const ParsedHeaders& headers) {
    if (rule.l3 != headers.l3) return false;
    if (rule.l4 != L4::kOther && rule.l4 != headers.l4) return false;
    bool ports = headers.l4 == L4::kTcp || headers.l4 == L4::kUdp;
    if (!ports && (rule.source_port_mask != 0 || rule.destination_port_mask != 0)) return false;
    size_t address = rule.l3 == L3::kIpv4 ? 4 : 16;
    return same_under(headers.source, rule.source, rule.source_mask, address) &&
           same_under(headers.destination, rule.destination, rule.destination_mask, address) &&
           same_under(headers.source_port, rule.source_port, rule.source_port_mask) &&
           same_under(headers.destination_port, rule.destination_port,
                      rule.destination_port_mask) &&
           same_under(headers.traffic_class, rule.traffic_class, rule.traffic_class_mask);
}

RssType rss_type(const ParsedHeaders& headers) {
    if (headers.l3 == L3::kOther) return RssType::kNone;
    bool four = headers.l3 == L3::kIpv4;
    if (headers.l4 == L4::kTcp) return four ? RssType::kTcp4 : RssType::kTcp6;
    if (headers.l4 == L4::kUdp) return four ? RssType::kUdp4 : RssType::kUdp6;
    return four ? RssType::kIpv4 : RssType::kIpv6;
}

}  // namespace

void Steering::set(const ReceiveSettings& settings) {
    queues_ = settings.queues;
    rules_.clear();
    for (const FlowRule& rule : settings.rules) {
        if (rule.queue < queues_) rules_.push_back(rule);
    }
    std::stable_sort(rules_.begin(), rules_.end(),
                     [](const FlowRule& a, const FlowRule& b) { return a.location < b.location; });
    table_ = settings.rss_table;
    if (!std::has_single_bit(table_.size())) table_.clear();
    if (key_ != settings.rss_key) {
        key_ = settings.rss_key;
        toeplitz_ = key_.empty() ? Toeplitz() : Toeplitz(key_);
    }
}

Steered Steering::steer(const ParsedHeaders& headers) const {
    Steered steered;
    if (queues_ == 0) return steered;
    steered.rss_type = rss_type(headers);
    if (steered.rss_type != RssType::kNone) {
        // Addresses, then ports, all in network order.
        uint8_t input[kRssLongest];
        size_t address = headers.l3 == L3::kIpv4 ? 4 : 16;
        std::copy_n(headers.source, address, input);
        std::copy_n(headers.destination, address, input + address);
        size_t length = 2 * address;
        if (headers.l4 == L4::kTcp || headers.l4 == L4::kUdp) {
            for (uint16_t port : {headers.source_port, headers.destination_port}) {
                input[length++] = static_cast<uint8_t>(port >> 8);
                input[length++] = static_cast<uint8_t>(port);
            }
        }
        steered.rss_hash = toeplitz_.hash({input, length});
    }
    for (const FlowRule& rule : rules_) {
        if (!matches(rule, headers)) continue;
        steered.queue = rule.queue;
        return steered;
    }
    // Packets without a hash (ARP) go to queue 0, as on real NICs.
    if (steered.rss_type == RssType::kNone) return steered;
    steered.queue = static_cast<uint16_t>(steered.rss_hash % queues_);
    if (!table_.empty()) {
        uint16_t entry = table_[steered.rss_hash & (table_.size() - 1)];
        if (entry < queues_) steered.queue = entry;
    }
    return steered;
}

}  // namespace zcrxlab::nic
