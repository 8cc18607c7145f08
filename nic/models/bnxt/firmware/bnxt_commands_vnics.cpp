// Commands about VNICs: their rings, their hash, their buffers.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "nic/models/bnxt/firmware/bnxt_commands.hpp"

namespace zcrxlab::nic::bnxt {

Answer Commands::vnic_capabilities(const Request&) {
    VnicCapabilities out{};
    out.mru = static_cast<uint16_t>(state_.context.config.max_mtu + 18);
    out.flags = kFlushesRings | kStripsVlans;
    out.most_aggregates = kAggregateLimit;
    return out;
}

Answer Commands::no_vnic(uint32_t number) {
    return forbid(HwrmError::kInvalidParameters, fmt::format("there is no VNIC {}", number));
}

Answer Commands::allocate_vnic(const Request& request) {
    const auto vnic = state_.vnics.add((request.as<VnicAllocate>().flags & kDefaultVnic) != 0);
    if (!vnic) return refuse(HwrmError::kNoResource, fmt::format("all {} are taken", kVnicLimit));
    VnicAllocated out{};
    out.vnic = uint32_t{*vnic};
    return out;
}

Answer Commands::free_vnic(const Request& request) {
    const uint32_t number = request.as<VnicFree>().vnic;
    return state_.vnics.free(number) ? Answer() : no_vnic(number);
}

Answer Commands::configure_vnic(const Request& request) {
    const auto asked = request.as<VnicConfigure>();
    Vnic* vnic = state_.vnics.find(asked.vnic);
    if (vnic == nullptr) return no_vnic(asked.vnic);
    if ((asked.enables & kEnableDefaultRxRing) != 0) {
        if (!state_.rx.has(asked.default_rx_ring))
            return forbid(HwrmError::kInvalidParameters,
                          fmt::format("its default ring is {:#x}, which is no receive ring",
                                      asked.default_rx_ring.get()));
        vnic->default_rings.rx_ring = asked.default_rx_ring;
    }
    if ((asked.enables & kEnableDefaultCompletionRing) != 0)
        vnic->default_rings.completion_ring = asked.default_completion_ring;
    // The driver gives it without saying so.
    vnic->mru = asked.mru;
    vnic->strips_tags = (asked.flags & kStripVlan) != 0;
    state_.vnics.apply();
    return {};
}

Answer Commands::update_vnic(const Request& request) {
    const auto asked = request.as<VnicUpdate>();
    Vnic* vnic = state_.vnics.find(asked.vnic);
    if (vnic == nullptr) return no_vnic(asked.vnic);
    if ((asked.enables & ~kUpdateMru) != 0)
        return refuse(HwrmError::kUnsupportedOption, "only its MRU can be updated");
    if ((asked.enables & kUpdateMru) != 0) vnic->mru = asked.mru;
    state_.vnics.apply();
    return {};
}

Answer Commands::allocate_rss(const Request&) {
    const auto context = state_.rss_contexts.take();
    if (!context)
        return refuse(HwrmError::kNoResource, fmt::format("all {} are taken", kRssContextLimit));
    RssAllocated out{};
    out.context = *context;
    return out;
}

Answer Commands::free_rss(const Request& request) {
    const uint16_t context = request.as<RssFree>().context;
    if (state_.rss_contexts.give_back(context)) return {};
    return forbid(HwrmError::kInvalidParameters,
                  fmt::format("RSS context {} is not taken", context));
}

Answer Commands::configure_rss(const Request& request) {
    const auto asked = request.as<RssConfigure>();
    Vnic* vnic = state_.vnics.find(asked.vnic);
    if (vnic == nullptr) return no_vnic(asked.vnic);
    // How the driver says that there is none any more.
    if (asked.table == 0) {
        vnic->table.clear();
        state_.vnics.apply();
        return {};
    }
    if ((asked.hash_types & kHashUnknown) != 0)
        return refuse(HwrmError::kUnsupportedOption,
                      fmt::format("hash types {:#x}: only addresses and ports are hashed",
                                  asked.hash_types.get()));
    if (asked.pair >= kRssParts)
        return forbid(HwrmError::kInvalidParameters,
                      fmt::format("part {} of a table that has {}", asked.pair, kRssParts));
    std::array<RssEntry, kRssEntries> entries;
    if (!state_.context.dma.read_object(asked.table, entries))
        return forbid_dma("the table", asked.table, sizeof(entries), Access::kRead);
    std::vector<uint8_t> key(asked.key != 0 ? kRssKeySize : 0);
    if (!state_.context.dma.read(asked.key, std::as_writable_bytes(std::span(key))))
        return forbid_dma("the key", asked.key, key.size(), Access::kRead);
    for (const RssEntry& entry : entries)
        if (!state_.rx.has(entry.rx_ring))
            return forbid(HwrmError::kInvalidParameters,
                          fmt::format("the table names ring {:#x}, which is no receive ring",
                                      entry.rx_ring.get()));
    const size_t first = asked.pair * kRssEntries;
    if (vnic->table.size() < first + kRssEntries)
        vnic->table.resize(first + kRssEntries, entries[0]);
    std::ranges::copy(entries, vnic->table.begin() + static_cast<ptrdiff_t>(first));
    if (!key.empty()) vnic->key = std::move(key);
    vnic->hash_types = asked.hash_types;
    state_.vnics.apply();
    return {};
}

Answer Commands::configure_placement(const Request& request) {
    const auto asked = request.as<PlacementConfigure>();
    Vnic* vnic = state_.vnics.find(asked.vnic);
    if (vnic == nullptr) return no_vnic(asked.vnic);
    Placement& placement = vnic->placement;
    if ((asked.enables & kEnableJumboThreshold) != 0)
        placement.jumbo_threshold = asked.jumbo_threshold;
    placement.split_ipv4 = (asked.flags & kSplitIpv4) != 0;
    placement.split_ipv6 = (asked.flags & kSplitIpv6) != 0;
    if ((asked.enables & kEnableSplitThreshold) != 0)
        placement.split_threshold = asked.split_threshold;
    state_.vnics.apply();
    return {};
}

// Assumed: that of the segments behind the first one as many are joined as the driver says. Linux
// says 63 to a P5 chip, and logarithms to older ones. Tunnels are not looked into.
Answer Commands::configure_joining(const Request& request) {
    const auto asked = request.as<TpaConfigure>();
    Vnic* vnic = state_.vnics.find(asked.vnic);
    if (vnic == nullptr) return no_vnic(asked.vnic);
    Joining joining{.on = (asked.flags & kJoinSegments) != 0,
                    .as_gro = (asked.flags & kJoinAsGro) != 0};
    if ((asked.enables & kEnableMostAggregates) != 0 &&
        (asked.most_aggregates == 0 || asked.most_aggregates > kAggregateLimit))
        return forbid(HwrmError::kInvalidParameters,
                      fmt::format("{} packets are to be joined at once, of at most {}",
                                  asked.most_aggregates.get(), kAggregateLimit));
    joining.limits.segments = TpaEnd::kMostSegments;
    if ((asked.enables & kEnableMostSegments) != 0)
        joining.limits.segments =
            std::min<uint32_t>(asked.most_segments + 1U, TpaEnd::kMostSegments);
    if ((asked.enables & kEnableShortest) != 0) joining.limits.shortest = asked.shortest;
    vnic->joining = joining;
    state_.vnics.apply();
    return {};
}

}  // namespace zcrxlab::nic::bnxt
