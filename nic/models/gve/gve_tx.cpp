// TxQueue: one transmit queue in DQO RDA format, from descriptors to frames and completions.
#include "nic/models/gve/gve_tx.hpp"

#include <algorithm>
#include <string>

namespace zcrxlab::nic::gve {

void TxQueue::start(const Setup& setup) {
    stop();
    setup_ = setup;
    live_ = true;
}

void TxQueue::stop() {
    live_ = false;
    packet_.clear();
    waiting_ = completed_ = head_ = tail_ = completion_head_ = events_ = 0;
    generation_ = 1;
}

bool TxQueue::doorbell(uint32_t tail) {
    if (!live_) return false;
    if (tail >= setup_.size) {
        ++context_.counters.bad_registers;
        return false;
    }
    tail_ = tail;
    return take_turn();
}

bool TxQueue::take_turn() {
    if (!live_) return false;
    completed_ = bytes_ = 0;
    sent_ = false;
    std::array<TxDescriptor, kBatch> batch;
    while (has_work() && bytes_ < kBytesOfATurn) {
        uint32_t left = (tail_ - head_) & (setup_.size - 1);
        uint32_t count = std::min({left, kBatch, setup_.size - head_});
        if (!context_.dma.read(setup_.ring + uint64_t{head_} * sizeof(TxDescriptor),
                               std::as_writable_bytes(std::span(batch.data(), count)))) {
            fail("descriptor ring");
            return sent_;
        }
        for (uint32_t i = 0; i < count && live_ && bytes_ < kBytesOfATurn; ++i) {
            head_ = (head_ + 1) & (setup_.size - 1);
            take(batch[i]);
        }
    }
    publish();
    if (live_ && completed_ > 0) {
        if (context_.counter_array != 0)
            context_.dma.write_object(
                context_.counter_array + uint64_t{setup_.counter_index} * sizeof(Be32),
                Be32(events_));
        context_.notify.event(setup_.block);
    }
    return sent_;
}

void TxQueue::take(const TxDescriptor& descriptor) {
    // Without a bound a driver that never ends a packet would make the device collect for ever.
    if (++packet_.descriptors > setup_.size) {
        ++context_.counters.tx[setup_.id].no_end;
        packet_.clear();
        packet_.descriptors = 1;
        packet_.malformed = true;  // what follows up to the next end is the rest of it
    }
    switch (descriptor.type()) {
        case kTxTypePacket:
            take_packet(descriptor.as<TxPacketDescriptor>());
            break;
        case kTxTypeTsoContext:
            take_tso(descriptor.as<TxTsoContext>());
            break;
        case kTxTypeGeneralContext:  // carries a path hash, which the wire has no use for
            if (!packet_.segments.empty()) packet_.malformed = true;
            break;
        default:
            packet_.malformed = true;
            break;
    }
}

void TxQueue::take_tso(const TxTsoContext& context) {
    if (!packet_.segments.empty() || packet_.tso) packet_.malformed = true;
    packet_.tso = (context.type_flags & TxTsoContext::kTso) != 0;
    packet_.mss = context.mss & TxTsoContext::kMssMask;
    packet_.header_length = context.header_length;
    packet_.tso_length = context.total_length[0] | uint32_t{context.total_length[1]} << 8 |
                         uint32_t{context.total_length[2]} << 16;
}

void TxQueue::take_packet(const TxPacketDescriptor& descriptor) {
    uint32_t size = descriptor.size & TxPacketDescriptor::kSizeMask;
    if (size == 0) packet_.malformed = true;
    if (packet_.bytes + size > kMaximumFrame) packet_.too_long = true;
    if ((descriptor.type_flags & TxPacketDescriptor::kChecksum) != 0) packet_.checksum = true;
    if (!packet_.too_long) {
        packet_.segments.push_back({descriptor.address, size});
        packet_.bytes += size;
    }
    bool end = (descriptor.type_flags & TxPacketDescriptor::kEndOfPacket) != 0;
    if (end) {
        bytes_ += packet_.bytes;
        if (send()) sent_ = true;
        packet_.clear();
    }
    if ((descriptor.type_flags & TxPacketDescriptor::kReportEvent) != 0)
        complete(TxCompletion::kDescriptor, static_cast<uint16_t>(head_));
    if (end) {
        ++events_;
        ++context_.counters.tx[setup_.id].completions;
        complete(TxCompletion::kPacket, descriptor.tag);
    }
}

bool TxQueue::acceptable(TxCounters& counters) const {
    constexpr uint32_t kEthernetHeader = 14;
    if (packet_.too_long || (!packet_.tso && packet_.bytes > kTxMaximumUnsegmented)) {
        ++counters.too_long;
        return false;
    }
    bool wrong = packet_.malformed || packet_.bytes < kEthernetHeader;
    if (packet_.tso) {
        // A tiny segment size would turn one frame into a hundred thousand.
        wrong = wrong || packet_.mss < kTxMinimumMss || packet_.mss > kTxMaximumMss ||
                packet_.header_length < kEthernetHeader ||
                packet_.header_length + packet_.tso_length != packet_.bytes;
    }
    if (wrong) ++counters.malformed;
    return !wrong;
}

bool TxQueue::send() {
    TxCounters& counters = context_.counters.tx[setup_.id];
    if (!acceptable(counters)) return false;
    if (!context_.link_up) {
        ++counters.link_down;
        return false;
    }
    Outgoing out;
    out.bytes.resize(packet_.bytes);
    size_t at = 0;
    for (const Segment& segment : packet_.segments) {
        if (!context_.dma.read(segment.address, std::span(out.bytes).subspan(at, segment.length))) {
            ++counters.bad_address;
            return false;
        }
        at += segment.length;
    }
    out.queue = setup_.id;
    out.mss = packet_.tso ? packet_.mss : 0;
    out.checksum = packet_.checksum || packet_.tso;
    ++counters.packets;
    counters.bytes += packet_.bytes;
    if (packet_.tso) ++counters.tso_packets;
    context_.wire.transmit(std::move(out));
    return true;
}

void TxQueue::complete(uint16_t type, uint16_t value) {
    // A driver that keeps to its limits never gets here: it counts what is in flight.
    if (completed_ == setup_.completion_size) {
        ++context_.counters.tx[setup_.id].completion_lost;
        return;
    }
    ++completed_;
    if (waiting_ == kBatch || completion_head_ + waiting_ == setup_.completion_size) publish();
    if (!live_) return;
    uint16_t word = (setup_.id & TxCompletion::kIdMask) |
                    static_cast<uint16_t>(type << TxCompletion::kTypeShift);
    if (generation_ != 0) word |= TxCompletion::kGeneration;
    completions_[waiting_++] = TxCompletion{word, value, 0};
}

void TxQueue::publish() {
    if (waiting_ == 0 || !live_) return;
    // The driver reads in order, so the batch stays unseen until the first one's generation turns:
    // all is written with the first still in its old generation, then that word is released.
    uint64_t address = setup_.completion_ring + uint64_t{completion_head_} * sizeof(TxCompletion);
    uint16_t first = completions_[0].id_type_generation;
    completions_[0].id_type_generation = first ^ TxCompletion::kGeneration;
    if (!context_.dma.write(address, std::as_bytes(std::span(completions_.data(), waiting_))) ||
        !context_.dma.store_release(address, first)) {
        fail("completion ring");
        return;
    }
    completion_head_ += waiting_;
    waiting_ = 0;
    if (completion_head_ == setup_.completion_size) {
        completion_head_ = 0;
        generation_ ^= 1;
    }
}

void TxQueue::fail(const char* what) {
    context_.broken(
        "transmit queue " + std::to_string(setup_.id) + ": its " + what +
        " is not guest memory; the queue is stopped until the driver resets the device");
    stop();
}

}  // namespace zcrxlab::nic::gve
