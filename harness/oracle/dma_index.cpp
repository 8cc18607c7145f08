// DmaIndex: matching flows with connections, and finding writes by position.
#include "harness/oracle/dma_index.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

constexpr unsigned kBucketShift = 12;

// Family, source port, destination port.
using Tuple = std::tuple<uint8_t, uint16_t, uint16_t>;

uint64_t bucket(uint32_t stream, uint32_t position_bits) {
    return uint64_t{stream} << 32 | (position_bits >> kBucketShift);
}

}  // namespace

DmaIndex::DmaIndex(Events events) {
    match_flows(events);
    each_of<DmaWrites>(events, [&](size_t, const DmaWrites& log) {
        has_log_ = true;
        lost_ += log.lost;
        for (const DmaLogEntry& entry : log.entries) add(entry);
    });
}

// The n-th connection of a tuple is the n-th initial sequence number of that tuple. Where the
// numbers do not match (the device saw more or fewer), the newest flows belong to the newest
// connections.
void DmaIndex::match_flows(Events events) {
    std::map<Tuple, std::vector<uint32_t>> streams;  // in the order they were opened
    each_of<ConnectionOpened>(events, [&](size_t, const ConnectionOpened& e) {
        auto& list = streams[{e.family, e.source_port, e.destination_port}];
        if (std::find(list.begin(), list.end(), e.stream) == list.end()) list.push_back(e.stream);
    });

    std::map<uint32_t, const DmaLogFlow*> table;  // by flow index, which grows with time
    each_of<DmaWrites>(events, [&](size_t, const DmaWrites& log) {
        for (const DmaLogFlow& flow : log.flows)
            if (flow.has_syn != 0) table[flow.flow] = &flow;
    });
    // Per tuple: the flows of each initial sequence number, oldest first.
    std::map<Tuple, std::vector<std::vector<const DmaLogFlow*>>> generations;
    for (const auto& [index, flow] : table) {
        auto& list = generations[{flow->family, flow->source_port, flow->destination_port}];
        if (list.empty() || list.back().front()->initial_sequence != flow->initial_sequence)
            list.emplace_back();
        list.back().push_back(flow);
    }

    for (const auto& [tuple, list] : streams) {
        const auto found = generations.find(tuple);
        if (found == generations.end()) continue;
        const auto& seen = found->second;
        const size_t both = std::min(list.size(), seen.size());
        for (size_t back = 1; back <= both; ++back) {
            const uint32_t stream = list[list.size() - back];
            for (const DmaLogFlow* flow : seen[seen.size() - back]) {
                flows_[flow->flow] = {stream, flow->initial_sequence};
                flow_of_[stream] = flow->flow;
            }
        }
    }
}

std::optional<PayloadWrite> DmaIndex::payload_of(const DmaLogEntry& entry) const {
    const auto flow = flows_.find(entry.flow);
    if (flow == flows_.end() || entry.kind == DmaKind::kHeader) return {};
    const uint32_t before = entry.kind == DmaKind::kUnsplit ? entry.payload_offset.get() : 0;
    if (before >= entry.length || entry.length > kLongestDmaWrite) return {};
    return PayloadWrite{.entry = &entry,
                        .address = entry.address + before,
                        .position = entry.tcp_sequence - flow->second.initial_sequence - 1,
                        .length = entry.length - before,
                        .stream = flow->second.stream};
}

void DmaIndex::add(const DmaLogEntry& entry) {
    const auto write = payload_of(entry);
    if (!write) return;
    const auto number = static_cast<uint32_t>(writes_.size());
    writes_.push_back(*write);
    const uint32_t first = write->position >> kBucketShift;
    const uint32_t count =
        ((write->position & ((1U << kBucketShift) - 1)) + write->length - 1) >> kBucketShift;
    for (uint32_t i = 0; i <= count; ++i)
        near_[bucket(write->stream, (first + i) << kBucketShift)].push_back(number);
}

// Calls visit(write) for every write of the stream that may touch these positions; more than once
// for one that spans buckets.
template <typename Visit>
void DmaIndex::each_near(uint32_t stream, uint64_t position, uint64_t length, Visit&& visit) const {
    const uint64_t last = (position + length - 1) >> kBucketShift;
    for (uint64_t i = position >> kBucketShift; i <= last; ++i) {
        const auto found = near_.find(bucket(stream, static_cast<uint32_t>(i << kBucketShift)));
        if (found == near_.end()) continue;
        for (const uint32_t number : found->second) visit(writes_[number]);
    }
}

std::vector<PositionRange> DmaIndex::not_written_to(uint32_t stream, uint64_t position,
                                                    uint64_t length, uint64_t address) const {
    if (length == 0) return {};
    std::vector<PositionRange> written;  // relative to `position`
    each_near(stream, position, length, [&](const PayloadWrite& write) {
        if (write.entry->kind != DmaKind::kPayload) return;
        // Signed: the write may begin before `position`.
        const auto begins = static_cast<int32_t>(write.position - static_cast<uint32_t>(position));
        if (write.address - address != static_cast<uint64_t>(int64_t{begins})) return;
        const int64_t from = std::max<int64_t>(begins, 0);
        const int64_t to =
            std::min<int64_t>(int64_t{begins} + write.length, static_cast<int64_t>(length));
        if (from < to) written.push_back({static_cast<uint64_t>(from), static_cast<uint64_t>(to)});
    });
    std::sort(written.begin(), written.end(),
              [](const PositionRange& a, const PositionRange& b) { return a.from < b.from; });

    std::vector<PositionRange> gaps;
    uint64_t reached = 0;
    for (const PositionRange& range : written) {
        if (range.from > reached) gaps.push_back({position + reached, position + range.from});
        reached = std::max(reached, range.to);
    }
    if (reached < length) gaps.push_back({position + reached, position + length});
    return gaps;
}

const PayloadWrite* DmaIndex::written_elsewhere(uint32_t stream, uint64_t position,
                                                uint64_t address) const {
    const PayloadWrite* newest = nullptr;
    each_near(stream, position, 1, [&](const PayloadWrite& write) {
        if (!write.covers(position)) return;
        const bool there = write.entry->kind == DmaKind::kPayload &&
                           write.address + write.distance_to(position) == address;
        if (!there && (newest == nullptr || write.entry->sequence > newest->entry->sequence))
            newest = &write;
    });
    return newest;
}

const PayloadWrite* DmaIndex::of_others_only(uint64_t address, uint32_t stream) const {
    const PayloadWrite* first = nullptr;
    for (const PayloadWrite& write : writes_) {
        if (address - write.address >= write.length) continue;
        if (write.stream == stream) return nullptr;
        if (first == nullptr || write.entry->sequence < first->entry->sequence) first = &write;
    }
    return first;
}

uint64_t DmaIndex::newest_to(uint32_t stream, uint64_t position, uint64_t address) const {
    uint64_t newest = 0;
    each_near(stream, position, 1, [&](const PayloadWrite& write) {
        if (write.covers(position) && write.entry->kind == DmaKind::kPayload &&
            write.address + write.distance_to(position) == address)
            newest = std::max(newest, write.entry->sequence.get());
    });
    return newest;
}

}  // namespace zcrxlab
