// StatsReport: the device's share of the statistics page that the driver gives to the device.
#include "nic/models/gve/gve_stats.hpp"

#include <array>

#include "nic/models/gve/gve_adminq_layout.hpp"

namespace zcrxlab::nic::gve {

bool StatsReport::publish(GveContext& context, const std::deque<RxQueue>& queues) {
    published_drops_ = drops(context.counters);
    if (length_ == 0) return true;
    std::array<Statistic, size_t{kQueueLimit} * kNicRxStats> entries;
    size_t count = 0;
    for (const RxQueue& queue : queues) {
        if (!queue.live()) continue;
        uint32_t id = queue.setup().id;
        const RxCounters& from = context.counters.rx[id];
        auto add = [&](uint32_t name, uint64_t value) {
            entries[count++] = Statistic{name, id, value};
        };
        add(kStatRxQueueDrops, from.no_buffer + from.too_long + from.bad_address);
        add(kStatRxNoBuffers, from.no_buffer);
        add(kStatRxOverMru, from.too_long);
        add(kStatRxInvalidChecksum, 0);  // such packets are handed over, marked as wrong
    }
    size_t bytes = count * sizeof(Statistic);
    if (bytes + kStatsReportHeader > length_) {
        context.log("the statistics report has no room for all queues; it is not updated");
        return true;
    }
    const uint64_t at = address_ + length_ - bytes;
    if (context.dma.write(at, std::as_bytes(std::span(entries.data(), count)))) return true;
    context.forbid_dma("", {}, "the statistics report", at, bytes, Access::kWrite);
    return false;
}

bool StatsReport::publish_if_changed(GveContext& context, const std::deque<RxQueue>& queues) {
    if (length_ == 0 || drops(context.counters) == published_drops_) return true;
    return publish(context, queues);
}

uint64_t StatsReport::drops(const Counters& counters) {
    uint64_t sum = 0;
    for (const RxCounters& queue : counters.rx)
        sum += queue.no_buffer + queue.too_long + queue.bad_address;
    return sum;
}

}  // namespace zcrxlab::nic::gve
