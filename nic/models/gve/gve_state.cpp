// GveState: everything that the driver sets up through the admin queue.
#include "nic/models/gve/gve_state.hpp"

#include <algorithm>
#include <bit>

namespace zcrxlab::nic::gve {
namespace {

// Values outside the ranges that GveConfig promises are brought into them, so that no part of the
// model has to ask again.
GveConfig bounded(GveConfig config) {
    auto queues = [](uint16_t n) { return std::clamp<uint16_t>(n, 1, kQueueLimit); };
    config.max_tx_queues = queues(config.max_tx_queues);
    config.max_rx_queues = queues(config.max_rx_queues);
    config.default_queues = queues(config.default_queues);
    config.max_ring = std::bit_floor(std::clamp<uint16_t>(config.max_ring, 64, 4096));
    config.min_ring = std::bit_floor(std::clamp<uint16_t>(config.min_ring, 64, config.max_ring));
    config.default_ring =
        std::bit_floor(std::clamp<uint16_t>(config.default_ring, config.min_ring, config.max_ring));
    config.max_mtu = std::clamp<uint16_t>(config.max_mtu, 68, 9216);
    config.packet_buffer_size = config.packet_buffer_size >= 4096 ? 4096 : 2048;
    config.header_buffer_size = std::min<uint16_t>(config.header_buffer_size, 512);
    config.max_flow_rules = std::min<uint32_t>(config.max_flow_rules, 4096);
    return config;
}

}  // namespace

GveState::GveState(GveConfig config, Dma& dma, Irq& irq, WirePort& wire, DmaWitness& witness)
    : context(bounded(std::move(config)), dma, irq, wire, witness), mtu(context.config.max_mtu) {
    for (uint16_t i = 0; i < context.config.max_tx_queues; ++i) tx.emplace_back(context);
    for (uint16_t i = 0; i < context.config.max_rx_queues; ++i) rx.emplace_back(context);
}

void GveState::reset() {
    for (TxQueue& queue : tx) queue.stop();
    for (RxQueue& queue : rx) queue.stop();
    context.notify.clear();
    context.counter_array = 0;
    context.needs_reset = false;
    steering.reset();
    stats.detach();
    resources = false;
    mtu = context.config.max_mtu;
    receive_width = 0;
    apply_receive_settings();
}

void GveState::apply_receive_settings() {
    ReceiveSettings settings;
    settings.queues = receive_width;
    settings.mtu = mtu;
    bool any = false;
    bool all_rsc = true;
    for (const RxQueue& queue : rx) {
        if (!queue.live()) continue;
        any = true;
        all_rsc = all_rsc && queue.setup().rsc;
        if (queue.setup().header_buffer_size != 0) settings.header_split = true;
    }
    // The wire coalesces for the port, the driver allows it for each queue: one that does not want
    // it decides for all.
    settings.rsc = any && all_rsc;
    steering.apply(receive_width, settings);
    context.wire.set_receive(settings);
}

void GveState::receive_queues_changed() {
    bool any = false;
    for (const RxQueue& queue : rx) {
        if (!queue.live()) continue;
        any = true;
        receive_width = std::max<uint16_t>(receive_width, queue.setup().id + 1);
    }
    if (!any) receive_width = 0;
    apply_receive_settings();
    stats.publish(context, rx);
}

bool GveState::any_queue() const {
    return std::any_of(tx.begin(), tx.end(), [](const TxQueue& queue) { return queue.live(); }) ||
           std::any_of(rx.begin(), rx.end(), [](const RxQueue& queue) { return queue.live(); });
}

}  // namespace zcrxlab::nic::gve
