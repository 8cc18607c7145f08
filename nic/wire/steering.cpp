// Steering: which receive queue a packet goes to.
#include "nic/wire/steering.hpp"

#include <algorithm>
#include <bit>
#include <utility>

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

// As what a packet is hashed, if `types` are.
RssType rss_type(const ParsedHeaders& headers, uint8_t types) {
    if (headers.l3 == L3::kOther) return RssType::kNone;
    const bool four = headers.l3 == L3::kIpv4;
    const RssType addresses = four ? RssType::kIpv4 : RssType::kIpv6;
    RssType type = addresses;
    if (headers.l4 == L4::kTcp) type = four ? RssType::kTcp4 : RssType::kTcp6;
    if (headers.l4 == L4::kUdp) type = four ? RssType::kUdp4 : RssType::kUdp6;
    if ((types & rss_bit(type)) == 0) type = addresses;
    return (types & rss_bit(type)) != 0 ? type : RssType::kNone;
}

// What is hashed: addresses, then ports, all in network order. Returns how many bytes.
size_t hash_input(const ParsedHeaders& headers, RssType type,
                  std::span<uint8_t, kRssLongest> input) {
    const size_t address = headers.l3 == L3::kIpv4 ? 4 : 16;
    std::copy_n(headers.source, address, input.begin());
    std::copy_n(headers.destination, address, input.begin() + static_cast<ptrdiff_t>(address));
    size_t length = 2 * address;
    if (type != RssType::kIpv4 && type != RssType::kIpv6) {
        for (uint16_t port : {headers.source_port, headers.destination_port}) {
            input[length++] = static_cast<uint8_t>(port >> 8);
            input[length++] = static_cast<uint8_t>(port);
        }
    }
    return length;
}

}  // namespace

template <typename Settings>
void Steering::Spread::set(const Settings& from) {
    table = from.rss_table;
    if (!std::has_single_bit(table.size())) table.clear();
    types = from.rss_types;
    queue_without_hash = from.queue_without_hash;
    if (key == from.rss_key) return;
    key = from.rss_key;
    toeplitz = key.empty() ? Toeplitz() : Toeplitz(key);
}

uint16_t Steering::Spread::queue_of(const Steered& steered, uint16_t queues) const {
    if (steered.rss_type == RssType::kNone)
        return queue_without_hash < queues ? queue_without_hash : uint16_t{0};
    if (!table.empty()) {
        const uint16_t entry = table[steered.rss_hash & (table.size() - 1)];
        if (entry < queues) return entry;
    }
    return static_cast<uint16_t>(steered.rss_hash % queues);
}

void Steering::set(const ReceiveSettings& settings) {
    queues_ = settings.queues;
    rules_.clear();
    for (const FlowRule& flow : settings.rules) {
        if (flow.queue >= queues_) continue;
        Rule& rule = rules_.emplace_back(Rule{.flow = flow, .spread = {}});
        if (flow.rss_table.empty()) continue;
        Spread spread;
        spread.set(flow);
        rule.spread = std::move(spread);
    }
    std::ranges::stable_sort(rules_, {}, [](const Rule& rule) { return rule.flow.location; });
    spread_.set(settings);
}

Steered Steering::steer(const ParsedHeaders& headers) const {
    Steered steered;
    if (queues_ == 0) return steered;
    // No rule matches what is no IP (ARP).
    const auto rule = headers.l3 == L3::kOther ? rules_.end()
                                               : std::ranges::find_if(rules_, [&](const Rule& one) {
                                                     return matches(one.flow, headers);
                                                 });
    const bool by_rule = rule != rules_.end();
    const Spread& spread = by_rule && rule->spread ? *rule->spread : spread_;
    steered.rss_type = rss_type(headers, spread.types);
    if (steered.rss_type != RssType::kNone) {
        uint8_t input[kRssLongest];
        const size_t length = hash_input(headers, steered.rss_type, input);
        steered.rss_hash = spread.toeplitz.hash(std::span(input).first(length));
    }
    if (by_rule) steered.rule = rule->flow.location;
    steered.queue = by_rule && !rule->spread ? rule->flow.queue : spread.queue_of(steered, queues_);
    return steered;
}

}  // namespace zcrxlab::nic
