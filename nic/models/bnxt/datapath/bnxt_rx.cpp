// RxRings: receive rings and their aggregation rings, from a Delivery to buffers and completions.
#include "nic/models/bnxt/datapath/bnxt_rx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace zcrxlab::nic::bnxt {
namespace {

// Of the receive ring. Linux takes the buffer behind that of the headers for used, too, and posts
// it again (bnxt_tpa_start); assumed: nothing is written into it.
constexpr uint32_t kAggregateDescriptors = 2;

// Of mutations: bytes of the headers that get into the payload, and how late a freed ring writes.
constexpr size_t kHeaderInPayload = 4;
constexpr size_t kLateBuffers = 8;
constexpr size_t kLateBytes = 64;

// Source: IEEE 802.1Q, clause 9.
struct __attribute__((packed)) VlanTag {
    Be16 protocol, control;

    static constexpr uint16_t kCustomer = 0x8100, kService = 0x88a8;
    static constexpr uint16_t kForeign = 0x9100;  // as some networks use it, and Linux does not
};
static_assert(sizeof(VlanTag) == 4 && offsetof(VlanTag, control) == 2);
constexpr size_t kTagAt = 12;  // of a frame, behind two addresses
constexpr size_t kTagEnd = kTagAt + sizeof(VlanTag);

// What was on the wire of it.
Segments segments_of(const Delivery& delivery) {
    Segments segments{.headers = delivery.payload_offset, .joinable = delivery.rsc_begins};
    if (delivery.rsc_mss != 0) {
        const size_t payload = delivery.bytes.size() - delivery.payload_offset;
        segments.packets = (payload + delivery.rsc_mss - 1) / delivery.rsc_mss;
    }
    return segments;
}

}  // namespace

std::string RxRings::BufferRing::name() const {
    if (type == BufferDescriptor::kTypeReceive)
        return fmt::format("receive ring {}", number - kRxRings);
    return fmt::format("aggregation ring {}", number - kAggregationRings);
}

std::optional<uint16_t> RxRings::add(RingMemory memory, uint16_t place, uint16_t buffer_size,
                                     uint32_t stat_context) {
    if (place >= rings_.size() || rings_[place]) return {};
    const auto number = static_cast<uint16_t>(kRxRings + place);
    BufferRing ring{.memory = std::move(memory),
                    .number = number,
                    .buffer_size = buffer_size,
                    .stat_context = stat_context,
                    .type = BufferDescriptor::kTypeReceive};
    ring.posted_at.resize(ring.memory.size());
    rings_[place] = std::move(ring);
    return number;
}

std::optional<uint16_t> RxRings::add_aggregation(RingMemory memory, uint16_t rx_ring,
                                                 uint16_t buffer_size) {
    if (!has(rx_ring) || aggregations_[rx_ring - kRxRings]) return {};
    const auto place = static_cast<uint16_t>(rx_ring - kRxRings);
    const auto number = static_cast<uint16_t>(kAggregationRings + place);
    BufferRing ring{.memory = std::move(memory),
                    .number = number,
                    .buffer_size = buffer_size,
                    .type = BufferDescriptor::kTypeAggregation};
    ring.posted_at.resize(ring.memory.size());
    aggregations_[place] = std::move(ring);
    return number;
}

bool RxRings::free(uint16_t ring) {
    if (!has(ring)) return false;
    rings_[ring - kRxRings].reset();
    return true;
}

bool RxRings::free_aggregation(uint16_t ring) {
    const size_t place = size_t{ring} - kAggregationRings;
    if (place >= aggregations_.size() || !aggregations_[place]) return false;
    if (context_.mutation.is(Mutation::kDmaAfterDestroy)) remember_buffers(*aggregations_[place]);
    aggregations_[place].reset();
    return true;
}

void RxRings::clear() {
    rings_.fill({});
    aggregations_.fill({});
}

bool RxRings::has(uint16_t ring) const {
    const size_t place = size_t{ring} - kRxRings;
    return place < rings_.size() && rings_[place].has_value();
}

bool RxRings::any() const {
    return std::ranges::any_of(rings_, [](const auto& ring) { return ring.has_value(); });
}

RxRings::BufferRing* RxRings::find(uint16_t ring) {
    auto& rings = ring < kAggregationRings ? rings_ : aggregations_;
    const size_t place = size_t{ring} - (ring < kAggregationRings ? kRxRings : kAggregationRings);
    return place < rings.size() && rings[place] ? &*rings[place] : nullptr;
}

uint32_t RxRings::posted(uint16_t queue) const {
    return queue < rings_.size() && rings_[queue] ? rings_[queue]->posted() : 0;
}

uint32_t RxRings::posted_aggregation(uint16_t queue) const {
    return queue < aggregations_.size() && aggregations_[queue] ? aggregations_[queue]->posted()
                                                                : 0;
}

bool RxRings::doorbell(uint16_t number, uint32_t index) {
    BufferRing* ring = find(number);
    if (ring == nullptr) return false;
    if (index >= ring->memory.size()) {
        context_.forbid_doorbell(ring->name(),
                                 fmt::format("its doorbell was rung with {} in a ring of {}", index,
                                             ring->memory.size()));
        return true;
    }
    // Buffers that were posted cannot be taken back.
    if (ring->memory.distance(ring->next, index) < ring->posted()) {
        context_.forbid_doorbell(ring->name(),
                                 fmt::format("its doorbell was rung with {} after {}, which takes "
                                             "back buffers that were posted",
                                             index, ring->tail));
        return true;
    }
    const uint32_t now = context_.witness.microseconds();
    for (; ring->tail != index; ring->tail = ring->memory.next(ring->tail))
        ring->posted_at[ring->tail] = now;
    return true;
}

Accepted RxRings::deliver(const Delivery& delivery) {
    const size_t queue = delivery.queue;
    const bool several = delivery.rsc_mss != 0;
    context_.counters.port_rx.count_cut(delivery.bytes, delivery.payload_offset, delivery.rsc_mss);
    const Vnic* vnic = vnics_.vnic_of(delivery);
    if (vnic == nullptr) {
        ++context_.counters.rx_no_vnic;
        return Accepted::kQueueOff;
    }
    const size_t longest =
        several ? size_t{delivery.payload_offset} + delivery.rsc_mss : delivery.bytes.size();
    if (longest > vnic->mru) {
        ++context_.counters.rx_above_mru;
        return Accepted::kQueueOff;
    }
    if (queue >= rings_.size() || !rings_[queue]) {
        ++context_.counters.rx_queue_off;
        return Accepted::kQueueOff;
    }
    BufferRing& ring = *rings_[queue];
    BufferRing* aggregation = aggregations_[queue] ? &*aggregations_[queue] : nullptr;
    tag_ = 0;
    const Accepted accepted =
        deliver_to(ring, aggregation, *vnic, vnic->strips_tags ? take_tag_off(delivery) : delivery);
    if (accepted != Accepted::kYes) {
        statistics_.discarded(ring.stat_context);
    } else if (delivery.bad_buffer || delivery.bad_headers) {
        statistics_.failed(ring.stat_context);
    } else {
        statistics_.received(ring.stat_context, delivery.bytes, segments_of(delivery));
    }
    return accepted;
}

Accepted RxRings::deliver_to(BufferRing& ring, BufferRing* aggregation, const Vnic& vnic,
                             const Delivery& delivery) {
    const auto completion_ring = vnics_.completion_ring_of(ring.number);
    if (!completion_ring || !completions_.has_completions(*completion_ring)) {
        ++context_.counters.rx_queue_off;
        return Accepted::kQueueOff;
    }
    RxCounters& count = counters(ring);
    const size_t size = delivery.bytes.size();
    if (delivery.header_length > ring.buffer_size) ++count.header_overflow;
    const size_t split = split_at(delivery, vnic.placement, ring);
    size_t first = split;
    if (split == 0) {
        const uint16_t threshold = vnic.placement.jumbo_threshold;
        first = std::min<size_t>(
            size, threshold != 0 ? std::min(threshold, ring.buffer_size) : ring.buffer_size);
    }
    const size_t rest = size - first;
    size_t buffers = 0;
    if (rest != 0 && aggregation != nullptr)
        buffers = (rest + aggregation->buffer_size - 1) / aggregation->buffer_size;
    if (size == 0 || (rest != 0 && aggregation == nullptr) ||
        buffers > RxCompletion::kMostAggregations) {
        ++count.too_long;
        return Accepted::kTooLong;
    }
    const bool joining = vnic.joining.on && delivery.rsc_begins;
    if (delivery.no_buffer || ring.posted() < (joining ? kAggregateDescriptors : 1) ||
        (buffers != 0 && aggregation->posted() < buffers)) {
        ++count.no_buffer;
        return Accepted::kNoBuffer;
    }
    const size_t due =
        2 + buffers + (joining ? 2 : 0) + (ring.unfinished ? 2 : 0) + ring.overtaken.size();
    if (completions_.room(*completion_ring) < due) {
        context_.forbid(
            {.kind = ForbiddenKind::kCompletion,
             .queue = ring.name(),
             .what = fmt::format("{} completions are due, and their ring has room for {}", due,
                                 completions_.room(*completion_ring))});
        ++count.no_buffer;
        return Accepted::kNoBuffer;
    }
    hit_ = context_.mutation.hits(delivery);
    if (!take_buffers(ring, aggregation, size, first)) return Accepted::kQueueOff;
    for (uint32_t i = 1; joining && i < kAggregateDescriptors; ++i)
        ring.next = ring.memory.next(ring.next);
    const bool placed = place(delivery, split);
    if (context_.mutation.is(Mutation::kDmaAfterDestroy)) write_late(delivery);
    const bool bad = bad_piece(delivery, split) != nullptr;
    if (!mutated(Mutation::kCompletionLost) &&
        !complete(*completion_ring, delivery, split, joining ? &vnic.joining : nullptr,
                  !placed || bad))
        return Accepted::kQueueOff;
    if (mutated(Mutation::kBufferKept) && aggregation != nullptr) keep_buffer(*aggregation);
    if (delivery.lose_interrupt) ++count.lost_interrupts;
    if (!placed) {
        ++count.bad_address;
        return Accepted::kBadAddress;
    }
    if (bad) ++count.buffer_errors;
    ++count.packets;
    count.bytes += size;
    count.aggregation += buffers;
    if (tag_ != 0) ++count.tags;
    if (split != 0) ++count.split;
    if (delivery.rsc_mss != 0) ++count.rsc;
    if (delivery.l4_checksum == ChecksumState::kBad || delivery.ip_checksum == ChecksumState::kBad)
        ++count.bad_checksum;
    return Accepted::kYes;
}

Delivery RxRings::take_tag_off(const Delivery& delivery) {
    const std::span<const std::byte> frame = delivery.bytes;
    if (frame.size() < kTagEnd) return delivery;
    VlanTag tag;
    std::memcpy(&tag, &frame[kTagAt], sizeof tag);
    if (tag.protocol != VlanTag::kCustomer && tag.protocol != VlanTag::kService) return delivery;
    const uint16_t protocol = delivery.foreign_tag ? VlanTag::kForeign : tag.protocol.get();
    tag_ = RxDetails::tag_of(protocol, tag.control);
    untagged_.assign(frame.begin(), frame.begin() + kTagAt);
    untagged_.insert(untagged_.end(), frame.begin() + kTagEnd, frame.end());
    Delivery untagged = delivery;
    untagged.bytes = untagged_;
    for (uint16_t* offset : {&untagged.header_length, &untagged.l3_offset, &untagged.l4_offset,
                             &untagged.payload_offset})
        if (*offset >= kTagEnd) *offset -= sizeof(VlanTag);
    return untagged;
}

size_t RxRings::split_at(const Delivery& delivery, const Placement& placement,
                         const BufferRing& ring) {
    const bool wanted = (delivery.l3 == L3::kIpv4 && placement.split_ipv4) ||
                        (delivery.l3 == L3::kIpv6 && placement.split_ipv6);
    const size_t headers = delivery.header_length;
    if (!wanted || headers == 0 || headers > ring.buffer_size || headers > delivery.bytes.size())
        return 0;
    return delivery.bytes.size() - headers > placement.split_threshold ? headers : 0;
}

bool RxRings::take_buffers(BufferRing& ring, BufferRing* aggregation, size_t frame, size_t first) {
    pieces_.clear();
    if (!take(ring, 0, first)) return false;
    for (size_t at = first; at < frame;) {
        const size_t length = std::min<size_t>(aggregation->buffer_size, frame - at);
        if (!take(*aggregation, at, length)) return false;
        at += length;
    }
    return true;
}

bool RxRings::take(BufferRing& ring, size_t at, size_t length) {
    const uint32_t index = std::exchange(ring.next, ring.memory.next(ring.next));
    Piece piece{&ring, {}, index, at, static_cast<uint16_t>(length)};
    if (!ring.memory.read(context_.dma, index, std::span(&piece.buffer, 1))) {
        context_.forbid_dma(ring.name(), index, "a descriptor", ring.memory.address_of(index),
                            sizeof(piece.buffer), Access::kRead);
        ++context_.counters.bad_rings;
        return false;
    }
    pieces_.push_back(piece);
    return true;
}

bool RxRings::place(const Delivery& delivery, size_t split) {
    const Piece* const bad = bad_piece(delivery, split);
    for (const Piece& piece : pieces_)
        if (&piece != bad && !place(delivery, split, piece)) return false;
    return true;
}

const RxRings::Piece* RxRings::bad_piece(const Delivery& delivery, size_t split) const {
    if (delivery.bad_headers && split != 0) return &pieces_.front();
    if (!delivery.bad_buffer) return nullptr;
    const size_t first = split != 0 && pieces_.size() > 1 ? 1 : 0;
    return &pieces_[std::min<size_t>(first + *delivery.bad_buffer, pieces_.size() - 1)];
}

bool RxRings::place(const Delivery& delivery, size_t split, const Piece& piece) {
    const BufferRing& ring = *piece.ring;
    const uint16_t type = piece.buffer.type_flags & BufferDescriptor::kTypeMask;
    if (type != ring.type || piece.buffer.length < piece.length) {
        context_.forbid(
            {.kind = ForbiddenKind::kDescriptor,
             .queue = ring.name(),
             .descriptor = piece.index,
             .address = piece.buffer.address.get(),
             .what = fmt::format("its type is {} and must be {}, its length is {}, and "
                                 "buffers of the ring have {}",
                                 type, ring.type, piece.buffer.length.get(), ring.buffer_size)});
        return false;
    }
    const Piece put = mutate(piece, split);
    const auto bytes = delivery.bytes.subspan(put.at, put.length);
    if (!context_.dma.write(put.buffer.address, bytes)) {
        // A mutant's own choice is not the driver's.
        if (put.buffer.address == piece.buffer.address)
            context_.forbid_dma(ring.name(), piece.index, "a buffer", piece.buffer.address,
                                bytes.size(), Access::kWrite);
        return false;
    }
    tell_witness(delivery, split, put);
    return true;
}

RxRings::Piece RxRings::mutate(const Piece& piece, size_t split) {
    Piece put = piece;
    if (split == 0 || piece.at < split) return put;
    if (mutated(Mutation::kHeaderInPayload) && split >= kHeaderInPayload)
        put.at -= kHeaderInPayload;
    if (piece.at == split) {
        BufferRing& ring = *piece.ring;
        if (mutated(Mutation::kBufferTwice) && ring.last_address != 0)
            put.buffer.address = ring.last_address;
        ring.last_address = put.buffer.address;
    }
    return put;
}

void RxRings::keep_buffer(BufferRing& aggregation) {
    if (aggregation.kept || aggregation.posted() == 0) return;
    aggregation.kept = true;
    aggregation.next = aggregation.memory.next(aggregation.next);
}

void RxRings::remember_buffers(const BufferRing& aggregation) {
    std::set<uint64_t>& left = left_[aggregation.number - kAggregationRings];
    left = {aggregation.begun.begin(), aggregation.begun.end()};
    late_.clear();
    for (uint32_t i = aggregation.next; i != aggregation.tail; i = aggregation.memory.next(i)) {
        BufferDescriptor buffer;
        if (!aggregation.memory.read(context_.dma, i, std::span(&buffer, 1))) return;
        left.insert(buffer.address);
    }
}

// Only buffers that a ring has been given again are written, and a little later: what the guest
// uses for something else is spared, because that would prove nothing but that it can be killed.
void RxRings::write_late(const Delivery& delivery) {
    if (!carries_payload(delivery)) return;
    std::set<uint64_t>& left = left_[delivery.queue];
    for (const Piece& piece : std::span(pieces_).subspan(1))
        if (left.erase(piece.buffer.address) != 0) late_.push_back(piece.buffer.address);
    if (late_.size() <= kLateBuffers) return;
    auto payload = delivery.bytes.subspan(delivery.payload_offset);
    payload = payload.first(std::min(payload.size(), kLateBytes));
    if (context_.dma.write(late_.front(), payload))
        context_.witness.wrote(DmaWitness::Kind::kPayload, late_.front(),
                               static_cast<uint32_t>(payload.size()), delivery, 0, 0);
    late_.pop_front();
}

void RxRings::tell_witness(const Delivery& delivery, size_t split, const Piece& piece) {
    const size_t payload = delivery.payload_offset;
    const auto offset = static_cast<uint32_t>(piece.at > payload ? piece.at - payload : 0);
    const uint32_t posted = piece.ring->posted_at[piece.index];
    uint64_t address = piece.buffer.address;
    uint32_t length = delivery.without_trailing(piece.at, piece.length);
    auto kind = DmaWitness::Kind::kUnsplit;
    if (split != 0)
        kind = piece.at < split ? DmaWitness::Kind::kHeader : DmaWitness::Kind::kPayload;
    // Longer headers than the receive buffer has room for.
    if (piece.at == 0 && length < payload) kind = DmaWitness::Kind::kHeader;
    // Their end lies in front of the payload; or they were split off too early.
    if (piece.at != 0 && piece.at < payload) {
        const auto headers = static_cast<uint32_t>(std::min<size_t>(payload - piece.at, length));
        context_.witness.wrote(DmaWitness::Kind::kHeader, address, headers, delivery, 0, posted);
        address += headers;
        length -= headers;
        kind = DmaWitness::Kind::kPayload;
    }
    if (length != 0) context_.witness.wrote(kind, address, length, delivery, offset, posted);
}

}  // namespace zcrxlab::nic::bnxt
