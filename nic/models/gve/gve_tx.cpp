// TxQueue: one transmit queue in DQO RDA format, from descriptors to frames and completions.
#include "nic/models/gve/gve_tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace zcrxlab::nic::gve {
namespace {

constexpr uint32_t kEthernetHeader = 14;

}  // namespace

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
        context_.forbid({.kind = ForbiddenKind::kDoorbell,
                         .queue = tx_name(setup_.id),
                         .what = fmt::format("its doorbell was rung with {} in a ring of {}", tail,
                                             setup_.size)});
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
        const uint64_t at = setup_.ring + uint64_t{head_} * sizeof(TxDescriptor);
        const auto into = std::as_writable_bytes(std::span(batch.data(), count));
        if (!context_.dma.read(at, into)) {
            fail("descriptor ring", at, into.size(), Access::kRead);
            return sent_;
        }
        for (uint32_t i = 0; i < count && live_ && bytes_ < kBytesOfATurn; ++i) {
            head_ = (head_ + 1) & (setup_.size - 1);
            take(batch[i]);
        }
    }
    publish();
    if (live_ && completed_ > 0) {
        if (context_.counter_array != 0) {
            const uint64_t at =
                context_.counter_array + uint64_t{setup_.counter_index} * sizeof(Be32);
            if (!context_.dma.write_object(at, Be32(events_)))
                context_.forbid_dma(tx_name(setup_.id), {}, "its event counter", at, sizeof(Be32),
                                    Access::kWrite);
        }
        context_.notify.event(setup_.block);
    }
    return sent_;
}

void TxQueue::take(const TxDescriptor& descriptor) {
    // Without a bound a driver that never ends a packet would make the device collect for ever.
    if (++packet_.descriptors > setup_.size) {
        ++context_.counters.tx[setup_.id].no_end;
        forbid(ForbiddenKind::kDescriptor, current(),
               "a ring full of descriptors has no end of packet");
        packet_.clear();
        packet_.descriptors = 1;
        packet_.spoil("the rest of a packet without an end", current());
    }
    switch (descriptor.type()) {
        case kTxTypePacket:
            take_packet(descriptor.as<TxPacketDescriptor>());
            break;
        case kTxTypeTsoContext:
            take_tso(descriptor.as<TxTsoContext>());
            break;
        case kTxTypeGeneralContext:  // carries a path hash, which the wire has no use for
            if (!packet_.segments.empty())
                packet_.spoil("a general context in the middle of a packet", current());
            break;
        default:
            packet_.spoil("it is of no type that there is", current());
            break;
    }
}

void TxQueue::take_tso(const TxTsoContext& context) {
    if (!packet_.segments.empty() || packet_.tso)
        packet_.spoil("a TSO context in the middle of a packet", current());
    packet_.tso_descriptor = current();
    packet_.tso = (context.type_flags & TxTsoContext::kTso) != 0;
    packet_.mss = context.mss & TxTsoContext::kMssMask;
    packet_.header_length = context.header_length;
    packet_.tso_length = context.total_length[0] | uint32_t{context.total_length[1]} << 8 |
                         uint32_t{context.total_length[2]} << 16;
}

void TxQueue::take_packet(const TxPacketDescriptor& descriptor) {
    uint32_t size = descriptor.size & TxPacketDescriptor::kSizeMask;
    if (size == 0) packet_.spoil("a buffer of 0 bytes", current());
    if (packet_.bytes + size > kMaximumFrame) packet_.too_long = true;
    if ((descriptor.type_flags & TxPacketDescriptor::kChecksum) != 0) packet_.checksum = true;
    if (!packet_.too_long) {
        packet_.segments.push_back({descriptor.address, size, current()});
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
    if (packet_.too_long || (!packet_.tso && packet_.bytes > kTxMaximumUnsegmented)) {
        ++counters.too_long;
        forbid(ForbiddenKind::kDescriptor, current(),
               packet_.too_long
                   ? fmt::format("the packet that ends here has more than {} bytes", kMaximumFrame)
                   : fmt::format("the packet that ends here has {} bytes, without TSO at most {}",
                                 packet_.bytes, kTxMaximumUnsegmented));
        return false;
    }
    const char* why = packet_.malformed;
    uint32_t where = packet_.malformed_descriptor;
    if (why == nullptr && packet_.bytes < kEthernetHeader) {
        why = "the packet that ends here is shorter than an Ethernet header";
        where = current();
    } else if (why == nullptr) {
        why = wrong_about_tso();
        where = packet_.tso_descriptor;
    }
    if (why == nullptr) return true;
    ++counters.malformed;
    forbid(ForbiddenKind::kDescriptor, where, why);
    return false;
}

const char* TxQueue::wrong_about_tso() const {
    if (!packet_.tso) return nullptr;
    // A tiny segment size would turn one frame into a hundred thousand.
    if (packet_.mss < kTxMinimumMss || packet_.mss > kTxMaximumMss)
        return "a TSO context with a segment size that the NIC does not take";
    if (packet_.header_length < kEthernetHeader)
        return "a TSO context with headers that are shorter than Ethernet's";
    if (packet_.header_length + packet_.tso_length != packet_.bytes)
        return "a TSO context whose lengths do not add up to those of the packet";
    return nullptr;
}

void TxQueue::forbid(ForbiddenKind kind, uint32_t descriptor, std::string what) const {
    context_.forbid({.kind = kind,
                     .queue = tx_name(setup_.id),
                     .descriptor = descriptor,
                     .what = std::move(what)});
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
            context_.forbid_dma(tx_name(setup_.id), segment.descriptor, "a buffer", segment.address,
                                segment.length, Access::kRead);
            return false;
        }
        at += segment.length;
    }
    out.queue = setup_.id;
    if (packet_.tso) {
        out.mss = packet_.mss;
        out.header_length = packet_.header_length;
        out.descriptor = packet_.tso_descriptor;
    }
    out.checksum = packet_.checksum || packet_.tso;
    ++counters.packets;
    counters.bytes += packet_.bytes;
    if (packet_.tso) ++counters.tso_packets;
    if (out.checksum) ++counters.checksums;
    context_.wire.transmit(std::move(out));
    return true;
}

void TxQueue::complete(uint16_t type, uint16_t value) {
    // A driver that keeps to its limits never gets here: it counts what is in flight.
    if (completed_ == setup_.completion_size) {
        ++context_.counters.tx[setup_.id].completion_lost;
        forbid(ForbiddenKind::kCompletion, current(),
               fmt::format("one doorbell has asked for more than the {} completions of the ring",
                           setup_.completion_size));
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
    const auto bytes = std::as_bytes(std::span(completions_.data(), waiting_));
    if (!context_.dma.write(address, bytes) || !context_.dma.store_release(address, first)) {
        fail("completion ring", address, bytes.size(), Access::kWrite);
        return;
    }
    completion_head_ += waiting_;
    waiting_ = 0;
    if (completion_head_ == setup_.completion_size) {
        completion_head_ = 0;
        generation_ ^= 1;
    }
}

void TxQueue::fail(const char* what, uint64_t address, uint64_t size, Access access) {
    context_.forbid_dma(tx_name(setup_.id), {}, fmt::format("its {}", what), address, size, access);
    context_.broken(
        fmt::format("{}: its {} is not guest memory; the queue is stopped until the "
                    "driver resets the device",
                    tx_name(setup_.id), what));
    stop();
}

}  // namespace zcrxlab::nic::gve
