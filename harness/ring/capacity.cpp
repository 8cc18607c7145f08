// Capacity: how many buffers of an area can still be had when none is given back (I5).
#include "harness/ring/capacity.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/ring/deferred_packets.hpp"
#include "harness/ring/receiver.hpp"
#include "harness/ring/socket_queues.hpp"

namespace zcrxlab {

void CapacityCount::add(uint64_t offset, uint32_t length, uint32_t buffer_size) {
    auto& ranges = taken[offset / buffer_size];
    const auto from = static_cast<uint32_t>(offset % buffer_size);
    const bool twice = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return from < range.second && range.first < from + length;
    });
    if (twice) ++handed_twice;
    if (ranges.empty()) ++in_hand_;
    ranges.emplace_back(from, from + length);
    ++cqes;
}

void CapacityCount::give_back(uint64_t offset, uint32_t buffer_size) {
    const auto from = static_cast<uint32_t>(offset % buffer_size);
    auto& ranges = taken[offset / buffer_size];
    const bool had = !ranges.empty();
    std::erase_if(ranges, [from](const auto& range) { return range.first == from; });
    if (had && ranges.empty()) --in_hand_;
}

std::chrono::milliseconds Dryness::patience(bool began, size_t away) const {
    return began && away < kept_ ? quiet_ : options_.pause;
}

void Dryness::dry(size_t away) {
    kept_ = std::max(kept_, away + 1);
}

void Dryness::pushed(bool found) {
    quiet_ = found ? options_.quiet : std::min(quiet_ * 2, options_.longest_quiet);
}

namespace {

Error not_emptied(const Ifq& ifq, size_t handed_out) {
    return Error{ETIMEDOUT, "the area of ifq " + std::to_string(ifq.number()) +
                                " was not empty in time: " + std::to_string(handed_out) + " of " +
                                std::to_string(ifq.buffers()) + " buffers were handed out"};
}

}  // namespace

Result<CapacityMeasured> Receiver::measure_capacity(Ifq& ifq, const CapacityOptions& options) {
    const ReceiverOptions saved = std::exchange(options_, [&] {
        ReceiverOptions draining = options_;
        draining.returns = ReturnPolicy::kNever;
        draining.limit = 0;
        return draining;
    }());
    auto measured = drain(ifq, options);
    capacity_.reset();
    options_ = saved;
    if (measured) trace_.add(*measured);
    return measured;
}

Result<CapacityMeasured> Receiver::drain(Ifq& ifq, const CapacityOptions& options) {
    const auto deadline = std::chrono::steady_clock::now() + options.timeout;
    if (auto returned = return_held(); !returned) return returned.error();
    if (queue_of(ifq).can_flush) {
        if (auto flushed = flush(ifq); !flushed) return flushed.error();
    }
    capacity_.emplace(&ifq);
    Dryness dryness(options);
    if (auto dry = run_dry(ifq, dryness, deadline); !dry) return dry.error();

    // A driver tells its NIC of new buffers in steps: the last few lie ready, and no packet can
    // reach them. Buffers that were counted already push them through.
    auto& queue = queue_of(ifq);
    uint32_t silent = 0;  // pauses in a row without a packet
    for (uint32_t round = 0; !ifq.nodev() && round < options.rounds; ++round) {
        if (capacity_->taken.size() >= ifq.buffers()) break;
        const bool withheld = silent > 0 && options.withheld && options.withheld();
        if (withheld || silent == options.silent) return not_emptied(ifq, capacity_->taken.size());
        const uint64_t seen = capacity_->cqes;
        const size_t taken = capacity_->taken.size();
        for (uint32_t i = 0; i < options.pushed && !queue.held.empty(); ++i) {
            const Held held = queue.held.front();
            queue.held.pop_front();
            capacity_->give_back(held.offset, ifq.buffer_size());
            queue.waiting.push_back(held);
        }
        if (auto pushed = push_waiting(queue); !pushed) return pushed.error();
        free_deferred_packets();
        if (round + 1 == options.rounds) dryness.last_round();
        if (auto dry = run_dry(ifq, dryness, deadline); !dry) return dry.error();
        dryness.pushed(capacity_->taken.size() != taken);
        silent = capacity_->cqes == seen ? silent + 1 : 0;
    }
    return CapacityMeasured{ifq.number(), ifq.buffers(), capacity_->taken.size(),
                            capacity_->handed_twice};
}

Result<void> Receiver::run_dry(Ifq& ifq, Dryness& dryness,
                               std::chrono::steady_clock::time_point deadline) {
    const auto no_buffers = [this, &ifq] {
        uint64_t failed = 0;
        for (const auto& [number, stream] : streams_) {
            if (stream.ifq == &ifq) failed += stream.state.no_buffers;
        }
        return failed;
    };
    for (auto& [number, stream] : streams_) {
        if (stream.ifq != &ifq || stream.state.armed || stream.state.socket < 0) continue;
        if (stream.state.final_result != -ENOMEM) continue;
        if (auto armed = arm(stream); !armed) return armed;
    }
    const uint64_t failed_before = no_buffers();
    const uint64_t seen_before = capacity_->cqes;
    uint64_t seen = seen_before;
    auto quiet_since = std::chrono::steady_clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - quiet_since);
    // Packets behind a hole wait in their socket: their buffers are not with the NIC either, and
    // the hole stays until the NIC has buffers for it.
    const auto away = [&] {
        uint64_t ours = capacity_->in_hand();
        for (const auto& [number, stream] : streams_) {
            if (stream.ifq == &ifq && stream.state.socket >= 0)
                ours += receive_memory(stream.state.socket) / ifq.buffer_size();
        }
        return ifq.buffers() - std::min<uint64_t>(ours, ifq.buffers());
    };
    auto ran = run(std::max(left, std::chrono::milliseconds(0)), [&] {
        const auto now = std::chrono::steady_clock::now();
        if (capacity_->cqes != seen) {
            seen = capacity_->cqes;
            quiet_since = now;
        }
        capacity_->silence_means = quiet_since + dryness.shortest();
        // Copies say so when there is no buffer: their silence means only that the peer is slow.
        const bool began = !ifq.nodev() && seen != seen_before;
        const auto silence = now - quiet_since;
        return no_buffers() != failed_before || capacity_->taken.size() >= ifq.buffers() ||
               (silence >= dryness.shortest() && silence >= dryness.patience(began, away()));
    });
    if (!ran) return ran.error();
    if (no_buffers() == failed_before) dryness.dry(away());
    if (*ran == RunEnd::kTimedOut) return not_emptied(ifq, capacity_->taken.size());
    return {};
}

}  // namespace zcrxlab
