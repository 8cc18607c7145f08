// Capacity: how many buffers of an area can still be had when none is given back (I5).
#include "harness/ring/capacity.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/ring/deferred_packets.hpp"
#include "harness/ring/receiver.hpp"

namespace zcrxlab {

void CapacityCount::add(uint64_t offset, uint32_t length, uint32_t buffer_size) {
    auto& ranges = taken[offset / buffer_size];
    const auto from = static_cast<uint32_t>(offset % buffer_size);
    const bool twice = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return from < range.second && range.first < from + length;
    });
    if (twice) ++handed_twice;
    ranges.emplace_back(from, from + length);
    ++cqes;
}

void CapacityCount::give_back(uint64_t offset, uint32_t buffer_size) {
    const auto from = static_cast<uint32_t>(offset % buffer_size);
    auto& ranges = taken[offset / buffer_size];
    std::erase_if(ranges, [from](const auto& range) { return range.first == from; });
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
    if (auto dry = run_dry(ifq, options, options.quiet, deadline); !dry) return dry.error();

    // A driver tells its NIC of new buffers in steps: the last few lie ready, and no packet can
    // reach them. Buffers that were counted already push them through.
    auto& queue = queue_of(ifq);
    uint32_t silent = 0;  // pauses in a row without a packet
    auto quiet = options.quiet;
    for (uint32_t round = 0; !ifq.nodev() && round < options.rounds; ++round) {
        if (capacity_->taken.size() >= ifq.buffers()) break;
        if (silent == options.silent) return not_emptied(ifq, capacity_->taken.size());
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
        // Before buffers are called lost, a retransmission may take as long as it likes.
        const bool last = round + 1 == options.rounds;
        if (auto dry = run_dry(ifq, options, last ? options.pause : quiet, deadline); !dry)
            return dry.error();
        quiet = capacity_->taken.size() == taken ? std::min(quiet * 2, options.longest_quiet)
                                                 : options.quiet;
        silent = capacity_->cqes == seen ? silent + 1 : 0;
    }
    return CapacityMeasured{ifq.number(), ifq.buffers(), capacity_->taken.size(),
                            capacity_->handed_twice};
}

Result<void> Receiver::run_dry(Ifq& ifq, const CapacityOptions& options,
                               std::chrono::milliseconds quiet,
                               std::chrono::steady_clock::time_point deadline) {
    const auto no_buffers = [this, &ifq] {
        uint64_t failed = 0;
        for (const auto& [number, stream] : streams_) {
            if (stream.ifq == &ifq) failed += stream.state.no_buffers;
        }
        return failed;
    };
    for (auto& [number, stream] : streams_) {
        if (stream.ifq != &ifq || stream.state.armed) continue;
        if (stream.state.final_result != -ENOMEM) continue;
        if (auto armed = arm(stream); !armed) return armed;
    }
    const uint64_t failed_before = no_buffers();
    const uint64_t seen_before = capacity_->cqes;
    uint64_t seen = seen_before;
    auto quiet_since = std::chrono::steady_clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - quiet_since);
    auto ran = run(std::max(left, std::chrono::milliseconds(0)), [&] {
        const auto now = std::chrono::steady_clock::now();
        if (capacity_->cqes != seen) {
            seen = capacity_->cqes;
            quiet_since = now;
        }
        // Copies say so when there is no buffer: their silence means only that the peer is slow.
        const bool tells = ifq.nodev() || seen == seen_before;
        const auto patience = tells ? options.pause : quiet;
        return no_buffers() != failed_before || now - quiet_since >= patience ||
               capacity_->taken.size() >= ifq.buffers();
    });
    if (!ran) return ran.error();
    if (*ran == RunEnd::kTimedOut) return not_emptied(ifq, capacity_->taken.size());
    return {};
}

}  // namespace zcrxlab
