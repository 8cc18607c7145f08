// Differences of the statistics of one queue.
#include "scenarios/framework/streams/queue_count.hpp"

#include <algorithm>

#include "harness/net/netdev.hpp"
#include "harness/targets/target.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

std::optional<QueueTotals> queue_totals(Scene& scene, uint32_t queue) {
    if (scene.target().abilities().dma_log) return std::nullopt;
    auto netdev = Netdev::open(scene.endpoints().interface);
    if (!netdev) return std::nullopt;
    auto statistics = netdev->statistics();
    if (!statistics) return std::nullopt;
    for (const QueueStatistics& one : *statistics)
        if (one.receive && one.id == queue) return QueueTotals{one.packets(), one.bytes()};
    return std::nullopt;
}

QueueCount::QueueCount(Scene& scene, const Ifq& ifq)
    : scene_(scene), ifq_(ifq.number()), queue_(ifq.options().queue) {
    if (!ifq.nodev()) before_ = queue_totals(scene, queue_);
}

void QueueCount::record() {
    if (!before_) return;
    const std::optional<QueueTotals> now = queue_totals(scene_, queue_);
    if (!now) return;
    if (now->bytes < before_->bytes) before_ = QueueTotals{};
    scene_.trace().add(QueueCounted{ifq_, scene_.endpoints().interface, queue_,
                                    now->packets - std::min(before_->packets, now->packets),
                                    now->bytes - before_->bytes});
}

void counts_start_over(Scene& scene, ReceivePath& rx, std::initializer_list<uint32_t> streams) {
    if (!queue_totals(scene, rx.queue())) return;
    uint64_t sent = 0;
    for (const uint32_t stream : streams) sent += rx.peer(stream).sent();
    scene.trace().add(CopiesExpected{.ifq = rx.ifq().number(), .undecided = sent});
}

}  // namespace zcrxlab
