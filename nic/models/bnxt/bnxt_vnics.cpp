// Vnics: what filters send frames to.
#include "nic/models/bnxt/bnxt_vnics.hpp"

#include <algorithm>

#include "nic/models/bnxt/bnxt_completions.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

// Bytes of an MRU that are no MTU: two addresses, a tag, the type.
constexpr uint16_t kAround = 18;

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
    apply();
    return true;
}

void Vnics::clear() {
    vnics_.fill({});
    apply();
}

Vnic* Vnics::find(uint32_t number) {
    return number < vnics_.size() && vnics_[number] ? &*vnics_[number] : nullptr;
}

const Vnic* Vnics::default_vnic() const {
    for (const auto& vnic : vnics_)
        if (vnic && vnic->is_default) return &*vnic;
    return nullptr;
}

std::optional<uint16_t> Vnics::completion_ring_of(uint16_t rx_ring) const {
    const Vnic* vnic = default_vnic();
    if (vnic == nullptr) return {};
    for (const RssEntry& entry : vnic->table)
        if (entry.rx_ring == rx_ring) return entry.completion_ring.get();
    if (vnic->default_rings.rx_ring != rx_ring) return {};
    return vnic->default_rings.completion_ring.get();
}

void Vnics::apply() const {
    ReceiveSettings settings;
    const Vnic* vnic = default_vnic();
    if (vnic != nullptr && vnic->mru > kAround) {
        settings.queues = kQueueLimit;
        settings.mtu = vnic->mru - kAround;
        settings.header_split = vnic->placement.split_ipv4 || vnic->placement.split_ipv6;
        settings.rss_key = vnic->key;
        for (const RssEntry& entry : vnic->table)
            settings.rss_table.push_back(entry.rx_ring - kRxRings);
        if (settings.rss_table.empty())
            settings.rss_table.push_back(vnic->default_rings.rx_ring - kRxRings);
    }
    context_.wire.set_receive(settings);
}

}  // namespace zcrxlab::nic::bnxt
