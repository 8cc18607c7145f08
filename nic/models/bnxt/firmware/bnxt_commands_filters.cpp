// Commands about filters: which VNIC gets a frame.
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "nic/models/bnxt/firmware/bnxt_commands.hpp"
#include "nic/models/bnxt/layout/bnxt_filter_layout.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

// Nothing for a protocol that the wire does not tell apart.
std::optional<L4> protocol_of(const FlowRuleAllocate& asked) {
    switch (asked.protocol) {
        case 0:
            return L4::kOther;
        case kProtocolTcp:
            return L4::kTcp;
        case kProtocolUdp:
            return L4::kUdp;
        case kProtocolIcmp:
        case kProtocolIcmpv6:
            if ((asked.protocol == kProtocolIcmp) == (asked.address_type == kRuleIpv4))
                return L4::kIcmp;
            return {};
        default:
            return {};
    }
}

FlowRule reduce(const FlowRuleAllocate& asked, L4 protocol) {
    FlowRule out;
    out.l3 = asked.address_type == kRuleIpv4 ? L3::kIpv4 : L3::kIpv6;
    out.l4 = protocol;
    std::memcpy(out.source, asked.source, sizeof(out.source));
    std::memcpy(out.source_mask, asked.source_mask, sizeof(out.source_mask));
    std::memcpy(out.destination, asked.destination, sizeof(out.destination));
    std::memcpy(out.destination_mask, asked.destination_mask, sizeof(out.destination_mask));
    out.source_port = asked.source_port;
    out.source_port_mask = asked.source_port_mask;
    out.destination_port = asked.destination_port;
    out.destination_port_mask = asked.destination_port_mask;
    return out;
}

}  // namespace

Answer Commands::allocate_l2_filter(const Request& request) {
    const auto asked = request.as<L2FilterAllocate>();
    if (state_.vnics.find(asked.vnic) == nullptr) return no_vnic(asked.vnic);
    const auto filter = state_.l2_filters.take();
    if (!filter)
        return refuse(HwrmError::kNoResource, fmt::format("all {} are taken", kL2FilterLimit));
    L2FilterAllocated out{};
    out.filter = uint64_t{*filter};
    return out;
}

Answer Commands::free_l2_filter(const Request& request) {
    const uint64_t filter = request.as<L2FilterFree>().filter;
    if (state_.l2_filters.give_back(filter)) {
        state_.rules.free_of(filter);
        state_.vnics.apply();
        return {};
    }
    return forbid(HwrmError::kInvalidParameters, fmt::format("filter {} is not taken", filter));
}

// Every frame that arrives is for this port, or for everybody.
Answer Commands::set_receive_mask(const Request& request) {
    const uint32_t vnic = request.as<ReceiveMask>().vnic;
    return state_.vnics.find(vnic) != nullptr ? Answer() : no_vnic(vnic);
}

Answer Commands::allocate_rule(const Request& request) {
    const auto asked = request.as<FlowRuleAllocate>();
    const uint32_t unknown =
        kEnableRuleTunnel | kEnableRuleSourceMac | kEnableRuleMirror | kEnableRuleDestinationMac;
    if ((asked.flags & kRuleUnknownFlags) != 0 || (asked.enables & unknown) != 0)
        return refuse(HwrmError::kUnsupportedOption,
                      "only addresses, ports and the protocol of IP are looked at, and a frame "
                      "goes to a VNIC or nowhere");
    if (asked.address_type != kRuleIpv4 && asked.address_type != kRuleIpv6)
        return forbid(HwrmError::kInvalidParameters,
                      fmt::format("its addresses are of type {}, which is neither that of IPv4 nor "
                                  "that of IPv6",
                                  asked.address_type));
    const auto protocol = protocol_of(asked);
    if (!protocol)
        return refuse(HwrmError::kUnsupportedOption,
                      fmt::format("protocol {} is not told apart", asked.protocol));
    if ((asked.enables & kEnableRuleL2Filter) == 0 || !state_.l2_filters.taken(asked.l2_filter))
        return forbid(
            HwrmError::kInvalidParameters,
            fmt::format("it hangs on filter {}, which is not taken", asked.l2_filter.get()));
    BnxtRule rule{.match = reduce(asked, *protocol), .l2_filter = asked.l2_filter};
    rule.drops = (asked.flags & kRuleDrops) != 0;
    if (!rule.drops) {
        const Vnic* vnic = state_.vnics.find(asked.vnic);
        if (vnic == nullptr) return no_vnic(asked.vnic);
        rule.vnic = asked.vnic;
        if ((asked.enables & kEnableRulePlace) != 0) {
            rule.place = asked.place;
            if (asked.place >= vnic->table.size())
                return forbid(HwrmError::kInvalidParameters,
                              fmt::format("it names place {} of a table of {} rings",
                                          asked.place.get(), vnic->table.size()));
        }
    }
    const auto number = state_.rules.add(rule);
    if (!number) return refuse(HwrmError::kNoResource, fmt::format("all {} are taken", kRuleLimit));
    state_.vnics.apply();
    FlowRuleAllocated out{};
    out.rule = uint64_t{*number};
    return out;
}

Answer Commands::free_rule(const Request& request) {
    const uint64_t rule = request.as<FlowRuleFree>().rule;
    if (!state_.rules.free(rule))
        return forbid(HwrmError::kInvalidParameters, fmt::format("rule {} is not taken", rule));
    state_.vnics.apply();
    return {};
}

}  // namespace zcrxlab::nic::bnxt
