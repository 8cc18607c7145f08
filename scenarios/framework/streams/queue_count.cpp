// Differences of the statistics of one queue.
#include "scenarios/framework/streams/queue_count.hpp"

#include <algorithm>
#include <chrono>
#include <variant>

#include "harness/net/netdev.hpp"
#include "harness/targets/target.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

namespace {

// Two periods of a card that writes its counters to memory once a second (bnxt.h:
// BNXT_DEF_STATS_COAL_TICKS and BNXT_MAX_STATS_COAL_TICKS).
constexpr std::chrono::milliseconds kCountersBound{2000};

// What the ifq has delivered, without what may have been copied: it came in through its queue.
uint64_t bytes_not_copied(const Trace& trace, uint32_t ifq) {
    uint64_t delivered = 0, copied = 0;
    for (const Event& event : trace.events_so_far()) {
        if (const auto* cqe = std::get_if<CqeSeen>(&event.body); cqe != nullptr && cqe->ifq == ifq)
            delivered += static_cast<uint64_t>(std::max(cqe->result, 0));
        if (const auto* copies = std::get_if<CopiesExpected>(&event.body);
            copies != nullptr && copies->ifq == ifq)
            copied += copies->bytes + copies->undecided;
    }
    return delivered - std::min(copied, delivered);
}

}  // namespace

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

std::optional<QueueCounted> QueueCount::counted() const {
    const std::optional<QueueTotals> now = queue_totals(scene_, queue_);
    if (!now) return std::nullopt;
    const QueueTotals before = now->bytes < before_->bytes ? QueueTotals{} : *before_;
    return QueueCounted{ifq_, scene_.endpoints().interface, queue_,
                        now->packets - std::min(before.packets, now->packets),
                        now->bytes - before.bytes};
}

void QueueCount::record(bool goes_on) {
    if (!before_) return;
    const uint64_t told = bytes_not_copied(scene_.trace(), ifq_);
    std::optional<QueueCounted> count;
    scene_.becomes(
        [&] {
            count = counted();
            return !count || count->bytes >= told;
        },
        scene_.scaled(kCountersBound));
    if (!count) return;
    count->goes_on = goes_on;
    scene_.trace().add(*count);
}

void counts_start_over(Scene& scene, ReceivePath& rx, std::initializer_list<uint32_t> streams) {
    if (!queue_totals(scene, rx.queue())) return;
    uint64_t sent = 0;
    for (const uint32_t stream : streams) sent += rx.peer(stream).sent();
    scene.trace().add(CopiesExpected{.ifq = rx.ifq().number(), .undecided = sent});
}

}  // namespace zcrxlab
