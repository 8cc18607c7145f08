// BnxtState: everything that the driver sets up by commands.
#include "nic/models/bnxt/datapath/bnxt_state.hpp"

#include <algorithm>
#include <utility>

namespace zcrxlab::nic::bnxt {
namespace {

BnxtConfig within_bounds(BnxtConfig config) {
    config.max_mtu = std::clamp<uint16_t>(config.max_mtu, 68, 9500);
    return config;
}

}  // namespace

BnxtState::BnxtState(BnxtConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness)
    : context(within_bounds(std::move(config)), dma, irq, wire, witness) {}

void BnxtState::reset() {
    rules.clear();
    vnics.clear();
    tx.clear();
    rx.clear();
    completions.clear();
    rss_contexts.clear();
    statistics.clear();
    l2_filters.clear();
    reserved = {};
    event_ring = kNoRing;
    reset_stage = ResetStage::kNone;
}

void BnxtState::link_changed() {
    if (!completions.has_notifications(event_ring)) return;
    ++context.counters.events;
    completions.notify(event_ring,
                       entry_of(Event{Event::kType, Event::kLinkChanged, uint32_t{0}, uint32_t{0},
                                      context.link_up ? Event::kLinkUp : uint32_t{0}}));
}

bool BnxtState::ask_for_reset() {
    if (!notify_of_reset(Event::kInterfaceDown | Event::kResetByManager)) return false;
    reset_stage = ResetStage::kAsked;
    return true;
}

bool BnxtState::tell_of_death() {
    return notify_of_reset(Event::kInterfaceDown | Event::kFirmwareDied);
}

bool BnxtState::notify_of_reset(uint32_t why) {
    if (!completions.has_notifications(event_ring)) return false;
    ++context.counters.events;
    completions.notify(event_ring, entry_of(Event{Event::kType, Event::kResetAsked, uint32_t{0},
                                                  Event::kBackAfter100ms, why}));
    return true;
}

}  // namespace zcrxlab::nic::bnxt
