// GveContext: what the parts of one gve NIC share: its neighbours, its counters, and its health.
#pragma once

#include <string>
#include <string_view>

#include "nic/dma.hpp"
#include "nic/models/gve/gve_config.hpp"
#include "nic/models/gve/gve_counters.hpp"
#include "nic/models/gve/gve_notify.hpp"
#include "nic/mutation.hpp"
#include "nic/wire.hpp"

namespace zcrxlab::nic::gve {

struct GveContext {
    GveContext(GveConfig with, Dma& to_memory, Irq& to_irq, WirePort& to_wire,
               DmaWitness& to_witness)
        : config(std::move(with)),
          dma(to_memory),
          wire(to_wire),
          witness(to_witness),
          notify(to_irq, counters),
          mutation(config.mutation) {}
    GveContext(const GveContext&) = delete;
    GveContext& operator=(const GveContext&) = delete;

    void log(std::string_view sentence) const {
        if (config.log) config.log(sentence);
    }
    // The driver gave the device something that it cannot go on with: a ring that is no memory.
    void broken(const std::string& sentence) {
        ++counters.bad_rings;
        needs_reset = true;
        log(sentence);
    }

    const GveConfig config;
    Dma& dma;
    WirePort& wire;
    DmaWitness& witness;
    Counters counters;
    NotifyBlocks notify;
    ActiveMutation mutation;
    bool link_up = true;
    bool needs_reset = false;    // the device shall report itself broken
    uint64_t counter_array = 0;  // guest address of the event counters; 0 = none
};

}  // namespace zcrxlab::nic::gve
