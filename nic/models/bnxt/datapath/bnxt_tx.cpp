// TxRings: transmit rings, from descriptors to frames and completions.
#include "nic/models/bnxt/datapath/bnxt_tx.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace zcrxlab::nic::bnxt {
namespace {

constexpr uint32_t kShortestFrame = 14;  // an Ethernet header
constexpr uint32_t kMostDescriptors = BufferDescriptor::kCountMask + 1;

std::string tx_ring_name(uint16_t number) {
    return fmt::format("transmit ring {}", number - kTxRings);
}

uint32_t length_of(const BufferDescriptor& buffer) {
    return buffer.length != 0 ? uint32_t{buffer.length} : uint32_t{65536};
}

}  // namespace

std::optional<uint16_t> TxRings::add(RingMemory memory, uint16_t completion_ring,
                                     uint32_t stat_context) {
    for (size_t i = 0; i < rings_.size(); ++i) {
        if (rings_[i]) continue;
        const auto number = static_cast<uint16_t>(kTxRings + i);
        rings_[i].emplace(Ring{.memory = std::move(memory),
                               .number = number,
                               .completion_ring = completion_ring,
                               .stat_context = stat_context});
        return number;
    }
    return {};
}

bool TxRings::free(uint16_t ring) {
    if (find(ring) == nullptr) return false;
    rings_[ring - kTxRings].reset();
    return true;
}

TxRings::Ring* TxRings::find(uint16_t ring) {
    const size_t place = size_t{ring} - kTxRings;
    return place < rings_.size() && rings_[place] ? &*rings_[place] : nullptr;
}

bool TxRings::doorbell(uint16_t number, uint32_t index) {
    Ring* ring = find(number);
    if (ring == nullptr) return false;
    if (index >= ring->memory.size() ||
        ring->memory.distance(ring->head, index) < ring->memory.distance(ring->head, ring->tail)) {
        context_.forbid_doorbell(
            tx_ring_name(number),
            fmt::format("its doorbell was rung with {} after {} in a ring of {}", index, ring->tail,
                        ring->memory.size()));
        return true;
    }
    ring->tail = index;
    if (take_turn(*ring)) context_.wire.flush();
    return true;
}

bool TxRings::has_work() const {
    return std::ranges::any_of(rings_,
                               [](const auto& ring) { return ring && ring->head != ring->tail; });
}

void TxRings::work() {
    bool sent = false;
    for (auto& ring : rings_)
        if (ring && ring->head != ring->tail && take_turn(*ring)) sent = true;
    if (sent) context_.wire.flush();
}

bool TxRings::take_turn(Ring& ring) {
    uint32_t bytes = 0;
    bool sent = false;
    while (ring.head != ring.tail && bytes < kBytesOfATurn) {
        const std::optional<Frame> frame = take(ring);
        if (!frame) break;
        for (const BufferDescriptor& buffer : frame->buffers) bytes += length_of(buffer);
        if (send(ring, *frame)) sent = true;
        if (frame->completion) complete(ring, *frame);
    }
    completions_.tell();
    return sent;
}

std::optional<TxRings::Frame> TxRings::take(Ring& ring) {
    const uint32_t there = ring.memory.distance(ring.head, ring.tail);
    std::array<BufferDescriptor, kMostDescriptors> descriptors;
    const auto seen = std::span(descriptors).first(std::min(there, kMostDescriptors));
    if (!ring.memory.read(context_.dma, ring.head, seen)) {
        context_.forbid_dma(tx_ring_name(ring.number), ring.head, "descriptors",
                            ring.memory.address_of(ring.head), seen.size_bytes(), Access::kRead);
        ++context_.counters.bad_rings;
        ring.head = ring.tail;
        return {};
    }
    Frame frame;
    const BufferDescriptor& first = seen[0];
    const uint16_t flags = first.type_flags;
    frame.count = flags >> BufferDescriptor::kCountShift & BufferDescriptor::kCountMask;
    if (frame.count == 0) frame.count = kMostDescriptors;
    frame.opaque = first.opaque;
    frame.completion = (flags & BufferDescriptor::kNoCompletion) == 0;
    if (frame.count > there) {
        context_.forbid({.kind = ForbiddenKind::kDescriptor,
                         .queue = tx_ring_name(ring.number),
                         .descriptor = ring.head,
                         .what = fmt::format("a frame of {} descriptors, of which {} are filled",
                                             frame.count, there)});
        ++counters(ring).malformed;
        ring.head = ring.tail;
        return {};
    }
    uint32_t next = 1;
    if ((flags & BufferDescriptor::kTypeMask) == BufferDescriptor::kTypeTxLong && frame.count > 1) {
        TxExtension extension;
        std::memcpy(&extension, &seen[next++], sizeof(extension));
        frame.extension = extension;
    }
    frame.buffers.push_back(first);
    frame.buffers.insert(frame.buffers.end(), seen.begin() + next, seen.begin() + frame.count);
    const uint32_t at =
        std::exchange(ring.head, (ring.head + frame.count) & (ring.memory.size() - 1));
    if (const char* wrong = wrong_about(frame)) {
        context_.forbid({.kind = ForbiddenKind::kDescriptor,
                         .queue = tx_ring_name(ring.number),
                         .descriptor = at,
                         .what = wrong});
        ++counters(ring).malformed;
        frame.buffers.clear();  // completed, and not sent
    }
    return frame;
}

const char* TxRings::wrong_about(const Frame& frame) {
    const uint16_t type = frame.buffers.front().type_flags & BufferDescriptor::kTypeMask;
    if (type != BufferDescriptor::kTypeTxShort && type != BufferDescriptor::kTypeTxLong)
        return "it is of no type that there is";
    if (type == BufferDescriptor::kTypeTxLong && !frame.extension)
        return "a frame is one descriptor long, and its type takes two";
    uint64_t size = 0;
    for (size_t i = 0; i < frame.buffers.size(); ++i) {
        const bool end = (frame.buffers[i].type_flags & BufferDescriptor::kPacketEnd) != 0;
        if (end != (i + 1 == frame.buffers.size()))
            return "its frame does not end where its count of descriptors says";
        size += length_of(frame.buffers[i]);
    }
    if (size < kShortestFrame) return "its frame is shorter than an Ethernet header";
    if (size > kMaximumFrame) return "its frame is longer than one can be";
    if (frame.extension && (frame.extension->flags & TxExtension::kLso) != 0 &&
        ((frame.extension->mss & TxExtension::kMssMask) == 0 ||
         (frame.extension->header_size & TxExtension::kHeaderMask) == 0))
        return "its frame is to be segmented, and has no segment size or no headers";
    return nullptr;
}

bool TxRings::send(Ring& ring, const Frame& frame) {
    if (frame.buffers.empty()) return false;
    TxCounters& count = counters(ring);
    Outgoing out;
    for (const BufferDescriptor& buffer : frame.buffers) {
        const size_t at = out.bytes.size();
        out.bytes.resize(at + length_of(buffer));
        if (!context_.dma.read(buffer.address, std::span(out.bytes).subspan(at))) {
            context_.forbid_dma(tx_ring_name(ring.number), {}, "a buffer", buffer.address,
                                length_of(buffer), Access::kRead);
            ++count.bad_address;
            return false;
        }
    }
    if (!context_.link_up) {
        ++count.link_down;
        return false;
    }
    out.queue = static_cast<uint16_t>(ring.number - kTxRings);
    if (const auto& extension = frame.extension) {
        out.checksum = (extension->flags & TxExtension::kL4Checksum) != 0;
        out.ip_checksum = (extension->flags & TxExtension::kIpChecksum) != 0;
        if ((extension->flags & TxExtension::kLso) != 0) {
            out.mss = static_cast<uint16_t>(extension->mss & TxExtension::kMssMask);
            out.header_length =
                static_cast<uint16_t>((extension->header_size & TxExtension::kHeaderMask) * 2);
            out.descriptor = frame.opaque & 0xffff;
            out.checksum = true;
            ++count.tso_packets;
        }
    }
    ++count.packets;
    count.bytes += out.bytes.size();
    if (out.checksum) ++count.checksums;
    context_.counters.port_tx.count_cut(out.bytes, out.header_length, out.mss);
    statistics_.sent(ring.stat_context, out.bytes);
    context_.wire.transmit(std::move(out));
    return true;
}

void TxRings::complete(Ring& ring, const Frame& frame) {
    if (completions_.room(ring.completion_ring) == 0) {
        context_.forbid({.kind = ForbiddenKind::kCompletion,
                         .queue = tx_ring_name(ring.number),
                         .what = "a completion is due, and its ring is full or not there"});
        return;
    }
    Entry entry = entry_of(
        TxCompletion{TxCompletion::kType, uint16_t{0}, frame.opaque, uint32_t{0}, ring.head});
    if (completions_.complete(ring.completion_ring, std::span(&entry, 1)))
        ++counters(ring).completions;
}

}  // namespace zcrxlab::nic::bnxt
