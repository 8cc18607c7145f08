// Commands about the function and its port: what there is, what is reserved, the link.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "nic/models/bnxt/firmware/bnxt_commands.hpp"
#include "nic/models/bnxt/layout/bnxt_function_layout.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

// The interface that we speak. From 1.8.3 on the driver reserves what it uses; from 1.10.3 on it
// asks for more about the port (bnxt.c, hwrm_spec_code).
constexpr uint16_t kInterface[] = {1, 10, 2};
// There is no firmware: a number for drivers that compare, above those with known faults.
constexpr uint16_t kFirmware = 229;

constexpr uint16_t kMostRxRings = 2 * kQueueLimit;  // with aggregation rings

struct ReservedField {
    uint32_t enable;
    Le16 FunctionConfigure::*asked;
    uint16_t Reserved::*kept;
    uint16_t limit;
    const char* what;
};

constexpr ReservedField kReservedFields[] = {
    {kEnableTxRings, &FunctionConfigure::tx_rings, &Reserved::tx_rings, kQueueLimit,
     "transmit rings"},
    {kEnableRxRings, &FunctionConfigure::rx_rings, &Reserved::rx_rings, kMostRxRings,
     "receive and aggregation rings"},
    {kEnableCompletionRings, &FunctionConfigure::completion_rings, &Reserved::completion_rings,
     kCompletionLimit, "completion rings"},
    {kEnableVectors, &FunctionConfigure::vectors, &Reserved::vectors, kNotificationLimit,
     "interrupt vectors"},
    {kEnableStatContexts, &FunctionConfigure::stat_contexts, &Reserved::stat_contexts,
     kStatContextLimit, "statistics contexts"},
    {kEnableVnics, &FunctionConfigure::vnics, &Reserved::vnics, kVnicLimit, "VNICs"},
    {kEnableRssContexts, &FunctionConfigure::rss_contexts, &Reserved::rss_contexts,
     kRssContextLimit, "RSS contexts"},
};

}  // namespace

Answer Commands::version(const Request&) {
    VersionAnswer out{};
    out.interface_major = kInterface[0];
    out.interface_minor = kInterface[1];
    out.interface_update = kInterface[2];
    for (size_t i = 0; i < std::size(kInterface); ++i) out.interface_version[i] = kInterface[i];
    out.firmware_major = kFirmware;
    out.firmware_version[0] = kFirmware;
    out.capabilities = kCapabilityShortRequest | kCapabilityAdvancedFlows;
    std::strncpy(out.package_name, "zcrxlab", sizeof(out.package_name));
    out.chip_number = kChipNumber;
    out.chip_revision = 1;
    out.window_size = uint16_t{kRequestWindowSize};
    out.longest_answer = uint16_t{kLongestAnswer};
    out.longest_request = uint16_t{kLongestRequest};
    out.always_1 = 1;
    return out;
}

Answer Commands::reset(const Request&) {
    ++state_.context.counters.resets;
    state_.reset();
    return {};
}

Answer Commands::capabilities(const Request&) {
    FunctionCapabilities out{};
    out.function = kFunctionNumber;
    out.flags = kNoVlanInsertion | kAsksForResets;
    out.flags2 = kExtendedStatistics;
    std::ranges::copy(state_.context.config.mac, out.mac);
    out.most_rss_contexts = kRssContextLimit;
    out.most_completion_rings = kCompletionLimit;
    out.most_tx_rings = kQueueLimit;
    out.most_rx_rings = kMostRxRings;
    out.most_l2_contexts = kL2FilterLimit;
    out.most_vnics = kVnicLimit;
    out.most_stat_contexts = kStatContextLimit;
    out.most_ring_groups = uint32_t{kQueueLimit};
    return out;
}

Answer Commands::resources(const Request&) {
    ResourceCapabilities out{};
    out.most_vectors = kNotificationLimit;
    out.least_rss_contexts = out.least_completion_rings = out.least_tx_rings = out.least_rx_rings =
        out.least_l2_contexts = out.least_vnics = out.least_stat_contexts = uint16_t{1};
    out.most_rss_contexts = kRssContextLimit;
    out.most_completion_rings = kCompletionLimit;
    out.most_tx_rings = out.most_tx_scheduler_inputs = kQueueLimit;
    out.most_rx_rings = kMostRxRings;
    out.most_l2_contexts = kL2FilterLimit;
    out.most_vnics = kVnicLimit;
    out.most_stat_contexts = kStatContextLimit;
    out.most_ring_groups = kQueueLimit;
    return out;
}

Answer Commands::settings(const Request&) {
    const Reserved& reserved = state_.reserved;
    FunctionSettings out{};
    out.function = kFunctionNumber;
    std::ranges::copy(state_.context.config.mac, out.mac);
    out.rss_contexts = reserved.rss_contexts;
    out.completion_rings = reserved.completion_rings;
    out.tx_rings = reserved.tx_rings;
    out.rx_rings = reserved.rx_rings;
    out.vnics = reserved.vnics;
    out.stat_contexts = reserved.stat_contexts;
    out.vectors = reserved.vectors;
    out.ring_groups = uint32_t{reserved.rx_rings};
    out.default_vnic = kNoRing;
    out.most_mtu = state_.context.config.max_mtu;
    out.bridge_mode = kBridgeVeb;
    out.doorbell_kib = uint16_t{kDoorbellBarSize / 1024};
    out.legacy_doorbell_kib = uint16_t{kDoorbell / 1024};
    out.always_1 = 1;
    return out;
}

Answer Commands::configure(const Request& request) {
    const auto asked = request.as<FunctionConfigure>();
    Reserved reserved = state_.reserved;
    for (const ReservedField& field : kReservedFields) {
        if ((asked.enables & field.enable) == 0) continue;
        const uint16_t wanted = asked.*field.asked;
        if (wanted > field.limit)
            return refuse(HwrmError::kNoResource, fmt::format("it wants {} {}, and there are {}",
                                                              wanted, field.what, field.limit));
        reserved.*field.kept = wanted;
    }
    if ((asked.flags & kOnlyTest) != 0) return {};
    if ((asked.enables & kEnableEventRing) != 0) {
        const uint16_t ring = asked.event_ring;
        if (ring != kNoRing && !state_.completions.has_notifications(ring))
            return forbid(HwrmError::kInvalidParameters,
                          fmt::format("events are to go to ring {:#x}, which is no notification "
                                      "queue",
                                      ring));
        state_.event_ring = ring;
    }
    state_.reserved = reserved;
    return {};
}

Answer Commands::register_driver(const Request&) {
    RegisterAnswer out{};
    out.flags = kTellsUpAndDown;
    return out;
}

// What the driver does last before a reset that it was asked for.
Answer Commands::unregister_driver(const Request&) {
    if (state_.reset_stage != ResetStage::kAsked) return {};
    ++state_.context.counters.resets;
    state_.reset();
    state_.reset_stage = ResetStage::kDone;
    return {};
}

Answer Commands::change_interface(const Request& request) {
    InterfaceChanged out{};
    if ((request.as<InterfaceChange>().flags & kInterfaceUp) == 0) return out;
    if (state_.reset_stage == ResetStage::kDone) {
        out.flags = kResetDone;
        state_.reset_stage = ResetStage::kNone;
    }
    return out;
}

Answer Commands::port_queues(const Request&) {
    PortQueues out{};
    out.most_queues = 1;
    return out;
}

Answer Commands::phy_capabilities(const Request&) {
    PhyCapabilities out{};
    out.ports = 1;
    out.forced_speeds = out.negotiated_speeds = kSpeed25GBit;
    return out;
}

Answer Commands::phy_settings(const Request&) {
    PhySettings out{};
    out.link = state_.context.link_up ? kLink : kNoLink;
    if (state_.context.link_up) out.speed = kSpeed25G;
    out.duplex_setting = out.duplex = kFullDuplex;
    out.speeds = out.negotiated_speeds = out.partner_speeds = kSpeed25GBit;
    out.negotiation = kNegotiateSpeeds;
    out.phy_type = kPhy25GCopper;
    out.media = kMediaCopper;
    out.transceiver = kTransceiverExternal;
    out.fec = kNoFec;
    return out;
}

// The cable has one speed, and is pulled by a fault only.
Answer Commands::configure_phy(const Request&) {
    return {};
}

Answer Commands::port_lights(const Request&) {
    return PortLights{};  // there are none
}

// There is nothing that a time would be written to.
Answer Commands::set_time(const Request&) {
    return {};
}

// Linux asks at every start and after every reset, and logs an error where that is refused.
Answer Commands::flash_information(const Request&) {
    return FlashInformation{};
}

Answer Commands::flow_capabilities(const Request&) {
    FlowCapabilities out{};
    out.flags = kRuleNamesPlaceInTable | kRuleHasVnic;
    return out;
}

}  // namespace zcrxlab::nic::bnxt
