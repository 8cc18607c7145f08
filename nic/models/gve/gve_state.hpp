// GveState: everything that the driver sets up through the admin queue.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "nic/models/gve/gve_context.hpp"
#include "nic/models/gve/gve_rx.hpp"
#include "nic/models/gve/gve_stats.hpp"
#include "nic/models/gve/gve_steering.hpp"
#include "nic/models/gve/gve_tx.hpp"

namespace zcrxlab::nic::gve {

struct GveState {
    GveState(GveConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness);

    // Back to power-on: no queue, no resources, no rule. The wire delivers nothing any more.
    void reset();
    // Tells the wire how this port receives now.
    void apply_receive_settings();
    // A receive queue came or went: settings and statistics follow.
    void receive_queues_changed();
    bool any_queue() const;

    GveContext context;
    std::deque<TxQueue> tx;
    std::deque<RxQueue> rx;
    Steering steering;
    StatsReport stats;
    bool resources = false;  // CONFIGURE_DEVICE_RESOURCES was done
    uint16_t mtu = 0;        // largest packet received, bytes behind the Ethernet header
    // One more than the highest receive queue since there was none: the port's width. A queue that
    // is restarted alone does not change it, so that other flows stay where they are.
    uint16_t receive_width = 0;
};

}  // namespace zcrxlab::nic::gve
