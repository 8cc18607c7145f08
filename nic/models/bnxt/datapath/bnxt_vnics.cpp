// Vnics: what filters send frames to.
#include "nic/models/bnxt/datapath/bnxt_vnics.hpp"

#include <algorithm>
#include <utility>

#include "nic/models/bnxt/datapath/bnxt_completions.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

// Bytes of an MRU that are no MTU: two addresses, a tag, the type.
constexpr uint16_t kAround = 18;

// The queues of its table, at least one.
std::vector<uint16_t> queues_of(const Vnic& vnic) {
    std::vector<uint16_t> queues;
    for (const RssEntry& entry : vnic.table) queues.push_back(entry.rx_ring - kRxRings);
    if (queues.empty()) queues.push_back(vnic.default_rings.rx_ring - kRxRings);
    return queues;
}

struct HashType {
    uint32_t asked;
    RssType type;
};
constexpr HashType kHashTypes[] = {{kHashIpv4, RssType::kIpv4}, {kHashTcp4, RssType::kTcp4},
                                   {kHashUdp4, RssType::kUdp4}, {kHashIpv6, RssType::kIpv6},
                                   {kHashTcp6, RssType::kTcp6}, {kHashUdp6, RssType::kUdp6}};

// `to` is ReceiveSettings or FlowRule.
template <typename Settings>
void spread_by_hash(const Vnic& vnic, Settings& to) {
    to.rss_key = vnic.key;
    to.rss_table = queues_of(vnic);
    to.rss_types = 0;
    for (const auto& [asked, type] : kHashTypes)
        if ((vnic.hash_types & asked) != 0) to.rss_types |= rss_bit(type);
    // Without a default ring the first one of its table will do.
    const uint16_t ring = vnic.default_rings.rx_ring;
    to.queue_without_hash =
        ring != kNoRing ? static_cast<uint16_t>(ring - kRxRings) : to.rss_table.front();
}

}  // namespace

std::optional<uint16_t> Vnics::add(bool is_default) {
    for (size_t i = 0; i < vnics_.size(); ++i) {
        if (vnics_[i]) continue;
        vnics_[i].emplace(Vnic{.is_default = is_default});
        return static_cast<uint16_t>(i);
    }
    return {};
}

bool Vnics::free(uint32_t number) {
    if (find(number) == nullptr) return false;
    vnics_[number].reset();
    rules_.forget(number);
    apply();
    return true;
}

void Vnics::clear() {
    vnics_.fill({});
    apply();
}

const Vnic* Vnics::find(uint32_t number) const {
    return number < vnics_.size() && vnics_[number] ? &*vnics_[number] : nullptr;
}

Vnic* Vnics::find(uint32_t number) {
    return const_cast<Vnic*>(std::as_const(*this).find(number));
}

const Vnic* Vnics::default_vnic() const {
    for (const auto& vnic : vnics_)
        if (vnic && vnic->is_default) return &*vnic;
    return nullptr;
}

const Vnic* Vnics::vnic_of(const Delivery& delivery) const {
    if (!delivery.rule) return default_vnic();
    const BnxtRule* rule = rules_.find(*delivery.rule);
    if (rule == nullptr || !rule->vnic) return nullptr;
    return find(*rule->vnic);
}

std::optional<uint16_t> Vnics::completion_ring_of(uint16_t rx_ring) const {
    for (const auto& vnic : vnics_) {
        if (!vnic) continue;
        for (const RssEntry& entry : vnic->table)
            if (entry.rx_ring == rx_ring) return entry.completion_ring.get();
        if (vnic->default_rings.rx_ring == rx_ring)
            return vnic->default_rings.completion_ring.get();
    }
    return {};
}

void Vnics::apply() const {
    ReceiveSettings settings;
    uint16_t longest = 0;
    // The wire joins for a whole port, and so for none if it is not to for one of them. Linux
    // switches it for all alike.
    settings.rsc = true;
    for (const auto& vnic : vnics_) {
        if (!vnic) continue;
        longest = std::max(longest, vnic->mru);
        settings.header_split |= vnic->placement.split_ipv4 || vnic->placement.split_ipv6;
        const Joining& joining = vnic->joining;
        settings.rsc &= joining.on;
        RscLimits& limits = settings.rsc_limits;
        limits.segments = std::min(limits.segments, joining.limits.segments);
        limits.shortest = std::max(limits.shortest, joining.limits.shortest);
    }
    const Vnic* vnic = default_vnic();
    if (vnic != nullptr && longest > kAround) {
        settings.queues = kQueueLimit;
        settings.mtu = longest - kAround;
        spread_by_hash(*vnic, settings);
        for (uint32_t i = 0; i < kRuleLimit; ++i)
            if (const BnxtRule* rule = rules_.find(i)) settings.rules.push_back(reduce(i, *rule));
    }
    context_.wire.set_receive(settings);
}

// What it says of a rule whose frames are lost: a queue, as there must be one.
FlowRule Vnics::reduce(uint32_t number, const BnxtRule& rule) const {
    FlowRule out = rule.match;
    out.location = number;
    const Vnic* vnic = rule.vnic ? find(*rule.vnic) : nullptr;
    if (vnic == nullptr) return out;
    const std::vector<uint16_t> queues = queues_of(*vnic);
    if (!rule.place) {
        spread_by_hash(*vnic, out);
    } else if (*rule.place < queues.size()) {
        out.queue = queues[*rule.place];
    }
    return out;
}

}  // namespace zcrxlab::nic::bnxt
