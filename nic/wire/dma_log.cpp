// DmaLog: the newest DMA writes of packet bytes of both ports, and the TCP flows they belong to.
#include "nic/wire/dma_log.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <unordered_set>

namespace zcrxlab::nic {

DmaLog::DmaLog(size_t capacity, std::function<uint64_t()> clock)
    : capacity_(std::bit_ceil(std::max<size_t>(capacity, 1))), clock_(std::move(clock)) {
    auto memory = Mapping::anonymous(capacity_ * sizeof(DmaLogEntry), MAP_NORESERVE);
    // Without memory nothing is kept, and every entry counts as lost.
    if (!memory) return;
    memory_ = std::move(memory).value();
    ring_ = {reinterpret_cast<DmaLogEntry*>(memory_.data()), capacity_};
}

void DmaLog::PortWitness::wrote(Kind kind, uint64_t address, uint32_t length,
                                const Delivery& delivery, uint32_t stream_offset, uint32_t posted) {
    uint64_t sequence = ++log_.newest_;
    if (log_.ring_.empty()) return;
    bool payload = kind != Kind::kHeader && delivery.flow != 0;
    DmaLogEntry entry{};
    entry.sequence = sequence;
    entry.address = address;
    entry.packet = delivery.packet;
    entry.length = length;
    entry.flow = delivery.flow;
    entry.tcp_sequence = payload ? delivery.tcp_sequence + stream_offset : 0;
    entry.fault = delivery.fault;
    entry.queue = delivery.queue;
    entry.port = port_;
    entry.kind = static_cast<DmaKind>(kind);
    // Only the first buffer of an unsplit packet begins with headers.
    if (kind == Kind::kUnsplit && stream_offset == 0)
        entry.payload_offset = delivery.payload_offset;
    if (log_.clock_) entry.written = log_.microseconds();
    entry.posted = posted;
    log_.ring_[(sequence - 1) & (log_.capacity_ - 1)] = entry;
}

uint32_t DmaLog::microseconds() const {
    if (!clock_) return 1;
    // 0 means that it is not known.
    return std::max(static_cast<uint32_t>(clock_() / 1000), 1U);
}

size_t DmaLog::TupleHash::operator()(const Tuple& tuple) const {
    std::string_view addresses(reinterpret_cast<const char*>(tuple.addresses),
                               sizeof(tuple.addresses));
    size_t ports =
        size_t{tuple.source_port} << 24 | size_t{tuple.destination_port} << 8 | tuple.family;
    return std::hash<std::string_view>{}(addresses) ^ ports * 0x9e3779b97f4a7c15;
}

DmaLog::Tuple DmaLog::tuple_of(const ParsedHeaders& headers) {
    Tuple tuple;
    std::memcpy(tuple.addresses, headers.source, 16);
    std::memcpy(tuple.addresses + 16, headers.destination, 16);
    tuple.source_port = headers.source_port;
    tuple.destination_port = headers.destination_port;
    tuple.family = headers.l3 == L3::kIpv4 ? 4 : 6;
    return tuple;
}

DmaLog::Tuple DmaLog::tuple_of(const DmaLogFlow& flow) {
    Tuple tuple;
    std::memcpy(tuple.addresses, flow.source, 16);
    std::memcpy(tuple.addresses + 16, flow.destination, 16);
    tuple.source_port = flow.source_port;
    tuple.destination_port = flow.destination_port;
    tuple.family = flow.family;
    return tuple;
}

const DmaLogFlow* DmaLog::find_flow(uint32_t flow) const {
    if (flows_.empty() || flow > last_flow_ || last_flow_ - flow >= flows_.size()) return nullptr;
    return &flows_[flows_.size() - 1 - (last_flow_ - flow)];
}

uint32_t DmaLog::add_flow(const Tuple& tuple, const ParsedHeaders& headers) {
    if (flows_.size() == kMaximumFlows) {
        const DmaLogFlow& oldest = flows_.front();
        auto at = by_tuple_.find(tuple_of(oldest));
        if (at != by_tuple_.end() && at->second == oldest.flow) by_tuple_.erase(at);
        flows_.pop_front();
        cached_flow_ = 0;
    }
    last_flow_ += 1;
    DmaLogFlow flow{};
    flow.flow = last_flow_;
    flow.has_syn = (headers.tcp_flags & kTcpSyn) != 0 ? 1 : 0;
    flow.initial_sequence = flow.has_syn != 0 ? headers.tcp_sequence : 0;
    std::memcpy(flow.source, headers.source, 16);
    std::memcpy(flow.destination, headers.destination, 16);
    flow.source_port = headers.source_port;
    flow.destination_port = headers.destination_port;
    flow.family = tuple.family;
    flows_.push_back(flow);
    by_tuple_[tuple] = last_flow_;
    return last_flow_;
}

uint32_t DmaLog::flow_of(const ParsedHeaders& headers) {
    if (headers.l4 != L4::kTcp) return 0;
    Tuple tuple = tuple_of(headers);
    bool syn = (headers.tcp_flags & kTcpSyn) != 0;
    if (!syn && cached_flow_ != 0 && tuple == cached_tuple_) return cached_flow_;
    auto at = by_tuple_.find(tuple);
    uint32_t flow = at == by_tuple_.end() ? 0 : at->second;
    const DmaLogFlow* known = flow == 0 ? nullptr : find_flow(flow);
    bool another = syn && known != nullptr &&
                   (known->has_syn == 0 || known->initial_sequence.get() != headers.tcp_sequence);
    if (known == nullptr || another) flow = add_flow(tuple, headers);
    cached_tuple_ = tuple;
    cached_flow_ = flow;
    return flow;
}

DmaLog::Extract DmaLog::extract(uint64_t after, size_t limit) const {
    Extract extract;
    extract.newest = newest_;
    extract.last = after;
    if (after >= newest_) return extract;
    uint64_t kept = std::min<uint64_t>(newest_, ring_.size());
    uint64_t begin = std::max(after, newest_ - kept);  // the one before the first
    extract.lost = begin - after;
    auto count = static_cast<size_t>(std::min<uint64_t>(newest_ - begin, limit));
    if (count == 0) return extract;
    extract.first = begin + 1;
    extract.last = begin + count;
    extract.entries.reserve(count);
    std::unordered_set<uint32_t> seen;
    uint32_t previous = 0;
    for (uint64_t sequence = begin + 1; sequence <= begin + count; ++sequence) {
        const DmaLogEntry& entry = ring_[(sequence - 1) & (capacity_ - 1)];
        extract.entries.push_back(entry);
        uint32_t flow = entry.flow;
        if (flow == previous || flow == 0) continue;
        previous = flow;
        if (!seen.insert(flow).second) continue;
        if (const DmaLogFlow* known = find_flow(flow)) extract.flows.push_back(*known);
    }
    return extract;
}

}  // namespace zcrxlab::nic
