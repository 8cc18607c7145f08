// Commands about statistics: contexts for rings, and the counters of the port.
#include <fmt/format.h>

#include <array>
#include <span>

#include "nic/models/bnxt/firmware/bnxt_commands.hpp"
#include "nic/models/bnxt/layout/bnxt_statistics_layout.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

void put_by_size(const PortFrames& frames, std::span<Le64> counters) {
    for (size_t i = 0; i < frames.by_size.size(); ++i)
        counters[i < kPortTaggedFrames ? i : i + 1] = frames.by_size[i];
}

}  // namespace

Answer Commands::allocate_statistics(const Request& request) {
    const auto asked = request.as<StatAllocate>();
    const auto context = state_.statistics.add(asked.address, asked.length);
    if (!context)
        return refuse(HwrmError::kNoResource, fmt::format("all {} are taken", kStatContextLimit));
    StatAnswer out{};
    out.context = *context;
    return out;
}

Answer Commands::free_statistics(const Request& request) {
    const auto asked = request.as<StatFree>();
    if (!state_.statistics.free(asked.context)) return no_statistics(asked.context);
    StatAnswer out{};
    out.context = asked.context;
    return out;
}

Answer Commands::clear_statistics(const Request& request) {
    const uint32_t context = request.as<StatFree>().context;
    return state_.statistics.clear(context) ? Answer() : no_statistics(context);
}

Answer Commands::no_statistics(uint32_t number) {
    return forbid(HwrmError::kInvalidParameters,
                  fmt::format("there is no statistics context {}", number));
}

Answer Commands::function_statistics(const Request& request) {
    if ((request.as<FunctionStatistics>().flags & kFunctionMasks) == 0)
        return refuse(HwrmError::kUnsupportedOption, "only the widths of counters are said");
    FunctionCounters out{};
    for (Le64& counter : out.counters) counter = ~uint64_t{0};
    return out;
}

Answer Commands::port_statistics(const Request& request) {
    const auto asked = request.as<PortStatistics>();
    std::array<Le64, kPortRxCounters> rx{};
    std::array<Le64, kPortTxCounters> tx{};
    if ((asked.flags & kPortMasks) != 0) {
        rx.fill(~uint64_t{0});
        tx.fill(~uint64_t{0});
    } else {
        const Counters& counters = state_.context.counters;
        uint64_t rx_packets = 0, rx_bytes = 0, rx_dropped = 0, tx_packets = 0, tx_bytes = 0;
        for (const RxCounters& ring : counters.rx) {
            rx_packets += ring.packets;
            rx_bytes += ring.bytes;
            rx_dropped += ring.no_buffer + ring.too_long;
        }
        for (const TxCounters& ring : counters.tx) {
            tx_packets += ring.packets;
            tx_bytes += ring.bytes;
        }
        rx[kPortRxFrames] = rx[kPortRxGoodFrames] = rx_packets;
        rx[kPortRxBytes] = rx_bytes;
        rx[kPortRxDiscarded] = rx_dropped;
        tx[kPortTxFrames] = tx[kPortTxGoodFrames] = tx_packets;
        tx[kPortTxBytes] = tx_bytes;
        put_by_size(counters.port_rx, rx);
        put_by_size(counters.port_tx, tx);
        rx[kPortRxControl] = counters.port_rx.control;
        tx[kPortTxControl] = counters.port_tx.control;
    }
    if (asked.rx_address != 0 && !state_.context.dma.write_object(asked.rx_address, rx))
        return forbid_dma("what the port received", asked.rx_address, sizeof(rx), Access::kWrite);
    if (asked.tx_address != 0 && !state_.context.dma.write_object(asked.tx_address, tx))
        return forbid_dma("what the port sent", asked.tx_address, sizeof(tx), Access::kWrite);
    PortStatisticsAnswer out{};
    out.tx_size = uint16_t{sizeof(tx)};
    out.rx_size = uint16_t{sizeof(rx)};
    return out;
}

// There are none: both sizes are 0.
Answer Commands::extended_port_statistics(const Request&) {
    return PortStatisticsAnswer{};
}

}  // namespace zcrxlab::nic::bnxt
