// Capacity: how many buffers of an area can still be had when none is given back (I5).
#include "harness/ring/capacity.hpp"

#include <algorithm>

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

Result<CapacityMeasured> Receiver::measure_capacity(Ifq& ifq, const CapacityOptions& options) {
    const ReceiverOptions saved = options_;
    options_.returns = ReturnPolicy::kNever;
    options_.rearm = true;
    options_.limit = 0;
    if (auto returned = return_held(); !returned) return returned.error();
    if (queue_of(ifq).can_flush) {
        if (auto flushed = flush(ifq); !flushed) return flushed.error();
    }
    capacity_.emplace(&ifq);
    uint64_t no_buffers = 0;
    for (auto& [number, stream] : streams_) {
        if (stream.ifq != &ifq) continue;
        no_buffers += stream.state.no_buffers;
        const bool can_go_on = !stream.state.armed && stream.state.final_result == -ENOMEM;
        if (can_go_on) {
            if (auto armed = arm(stream); !armed) return armed.error();
        }
    }
    auto quiet_since = std::chrono::steady_clock::now();
    uint64_t seen = 0;
    auto ran = run(options.timeout, [&] {
        const auto now = std::chrono::steady_clock::now();
        if (capacity_->cqes != seen) {
            seen = capacity_->cqes;
            quiet_since = now;
        }
        uint64_t failed = 0;
        for (const auto& [number, stream] : streams_) {
            if (stream.ifq == &ifq) failed += stream.state.no_buffers;
        }
        return failed != no_buffers || now - quiet_since >= options.quiet;
    });
    const CapacityMeasured measured{ifq.number(), ifq.buffers(), capacity_->taken.size(),
                                    capacity_->handed_twice};
    capacity_.reset();
    options_ = saved;
    if (!ran) return ran.error();
    if (*ran == RunEnd::kTimedOut) {
        return Error{ETIMEDOUT, "data kept coming while the capacity of ifq " +
                                    std::to_string(ifq.number()) + " was measured"};
    }
    trace_.add(measured);
    return measured;
}

}  // namespace zcrxlab
