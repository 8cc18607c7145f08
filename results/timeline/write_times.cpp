// When the device wrote what its log has, on the guest's clock.
#include "results/timeline/write_times.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "harness/oracle/dma_index.hpp"
#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

constexpr int64_t kMicrosecond = 1000;

// The data CQEs of a stream by their first position.
using Deliveries = std::map<uint64_t, size_t>;

// The CQE that has the first delivered one of these bytes.
std::optional<size_t> delivery_of(Events events, const Deliveries& deliveries, uint64_t position,
                                  uint64_t length) {
    auto next = deliveries.upper_bound(position);
    if (next != deliveries.begin()) {
        const auto before = std::prev(next);
        const auto& cqe = std::get<CqeSeen>(events[before->second].body);
        if (position - cqe.position < static_cast<uint64_t>(cqe.result)) return before->second;
    }
    if (next != deliveries.end() && next->first - position < length) return next->second;
    return {};
}

// A position of which 32 bits are known, next to one that is known.
uint64_t next_to(uint64_t known, uint32_t bits) {
    const auto step = static_cast<int32_t>(bits - static_cast<uint32_t>(known));
    return step < 0 && static_cast<uint64_t>(-int64_t{step}) > known
               ? bits
               : known + static_cast<uint64_t>(int64_t{step});
}

int64_t time_of(Events events, size_t event) {
    return static_cast<int64_t>(events[event].nanoseconds);
}

// What each write comes before.
int64_t bound_of(Events events, const WriteTime& write) {
    const int64_t log = time_of(events, write.event);
    return write.cqe ? std::min(log, time_of(events, *write.cqe)) : log;
}

}  // namespace

WriteTimes write_times(Events events) {
    WriteTimes times;
    const DmaIndex index(events);
    std::map<uint32_t, Deliveries> deliveries;
    each_of<CqeSeen>(events, [&](size_t i, const CqeSeen& e) {
        if (e.result > 0) deliveries[e.stream].try_emplace(e.position, i);
    });

    std::map<uint32_t, uint64_t> reached;  // by stream
    each_of<DmaWrites>(events, [&](size_t i, const DmaWrites& log) {
        for (const DmaLogEntry& entry : log.entries) {
            WriteTime write{.entry = &entry, .event = i};
            if (const auto payload = index.payload_of(entry)) {
                write.stream = payload->stream;
                write.position = next_to(reached[payload->stream], payload->position);
                reached[payload->stream] = write.position;
                write.cqe = delivery_of(events, deliveries[payload->stream], write.position,
                                        payload->length);
            }
            times.writes.push_back(write);
        }
    });

    // Time stamps are compared with the first one, so that they may wrap once.
    const auto first = std::ranges::find_if(
        times.writes, [](const WriteTime& write) { return write.entry->written != 0; });
    if (first != times.writes.end()) {
        const uint32_t zero = first->entry->written;
        const auto own = [&](uint32_t stamp) {
            return (int64_t{zero} + static_cast<int32_t>(stamp - zero)) * kMicrosecond;
        };
        int64_t offset = std::numeric_limits<int64_t>::max();
        for (const WriteTime& write : times.writes)
            if (write.entry->written != 0)
                offset = std::min(offset, bound_of(events, write) - own(write.entry->written));
        for (WriteTime& write : times.writes) {
            if (write.entry->written != 0) write.written = own(write.entry->written) + offset;
            if (write.entry->posted != 0)
                write.posted = std::min(own(write.entry->posted) + offset, write.written);
        }
        times.offset = offset;
    }

    // Nothing is written later than what came after it in the log.
    int64_t latest = std::numeric_limits<int64_t>::max();
    for (size_t i = times.writes.size(); i-- > 0;) {
        WriteTime& write = times.writes[i];
        latest =
            std::min(latest, write.entry->written != 0 ? write.written : bound_of(events, write));
        if (write.entry->written == 0) write.written = latest;
    }
    return times;
}

}  // namespace zcrxlab
