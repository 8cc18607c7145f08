// RxRings: what is completed of a frame: one entry for all of it, or an aggregate (TPA) that begins
// and ends.
#include <array>
#include <utility>

#include "nic/models/bnxt/datapath/bnxt_rx.hpp"

namespace zcrxlab::nic::bnxt {
namespace {

RxContent content_of(const Delivery& delivery) {
    switch (delivery.l4) {
        case L4::kTcp:
            return RxContent::kTcp;
        case L4::kUdp:
            return RxContent::kUdp;
        case L4::kIcmp:
            return RxContent::kIcmp;
        case L4::kFragment:
        case L4::kOther:
            break;
    }
    return delivery.l3 == L3::kOther ? RxContent::kUnknown : RxContent::kIp;
}

// `tag` is RxDetails::tag_of() of one that was taken off, or 0.
RxDetails details_of(const Delivery& delivery, uint32_t tag, bool failed) {
    RxDetails out{};
    uint32_t flags = tag != 0 ? RxDetails::kTagTaken : 0;
    uint16_t errors = 0;
    if (delivery.ip_checksum != ChecksumState::kUnknown) flags |= RxDetails::kIpChecksumDone;
    if (delivery.ip_checksum == ChecksumState::kBad) errors |= RxDetails::kIpChecksumError;
    if (delivery.l4_checksum != ChecksumState::kUnknown) flags |= RxDetails::kL4ChecksumDone;
    if (delivery.l4_checksum == ChecksumState::kBad) errors |= RxDetails::kL4ChecksumError;
    if (delivery.l3 == L3::kIpv6) flags |= RxDetails::kIpv6;
    if (failed) errors |= RxDetails::kBufferError;
    out.flags = flags;
    out.metadata = tag;
    out.errors_valid = errors;
    return out;
}

}  // namespace

// As many as may come at once: the end of one that was left unfinished, and a whole aggregate.
struct RxRings::Entries {
    std::array<Entry, 2 + 2 + RxCompletion::kMostAggregations + 2> all;
    size_t count = 0;

    template <typename T>
    void add(const T& entry) {
        all[count++] = entry_of(entry);
    }
};

bool RxRings::complete(uint16_t completion_ring, const Delivery& delivery, size_t split,
                       const Joining* joining, bool failed) {
    BufferRing& ring = *pieces_.front().ring;
    Entries entries;
    if (joining != nullptr) {
        add_aggregate(entries, delivery, split, *joining, failed);
    } else {
        add_end_of_unfinished(entries, ring);
        add_packet(entries, delivery, split, failed);
    }
    const std::span all = std::span(entries.all).first(entries.count);
    if (delivery.rest == Rest::kOvertaken && ring.overtaken.empty()) {
        ring.overtaken.assign(all.begin(), all.end());
        return true;
    }
    const bool stale = context_.mutation.is(Mutation::kStaleGeneration) && ring.number != kRxRings;
    const auto tell = [&](std::span<Entry> what) {
        return completions_.complete(completion_ring, what, delivery.lose_interrupt, stale);
    };
    if (!tell(all)) return false;
    if (ring.overtaken.empty()) return true;
    ++counters(ring).overtaken;
    std::vector<Entry> overtaken = std::exchange(ring.overtaken, {});
    return tell(overtaken);
}

void RxRings::add_end_of_unfinished(Entries& entries, BufferRing& ring) {
    if (!ring.unfinished) return;
    for (const Entry& entry : *ring.unfinished) entries.add(entry);
    ring.unfinished.reset();
}

uint16_t RxRings::flags_of(const Delivery& delivery, size_t split) const {
    auto flags = static_cast<uint16_t>(static_cast<uint16_t>(content_of(delivery))
                                       << RxCompletion::kContentShift);
    if (split != 0) flags |= RxCompletion::kPlacementSplit;
    if (split == 0 && pieces_.size() > 1) flags |= RxCompletion::kPlacementJumbo;
    if (delivery.rss_type != RssType::kNone) flags |= RxCompletion::kRssValid;
    return flags;
}

uint16_t RxRings::told_length(size_t piece) const {
    const uint16_t length = pieces_[piece].length;
    const Piece& last = pieces_.back();
    if (!mutated(Mutation::kLengthOff) || pieces_.size() <= 2 ||
        last.length >= last.ring->buffer_size)
        return length;
    if (piece == 1) return length - 1;
    return piece + 1 == pieces_.size() ? length + 1 : length;
}

void RxRings::add_packet(Entries& entries, const Delivery& delivery, size_t split, bool failed) {
    const Piece& first = pieces_.front();
    RxCompletion completion{};
    completion.type_flags = RxCompletion::kType | flags_of(delivery, split);
    if (delivery.rss_type != RssType::kNone) completion.rss_hash = delivery.rss_hash;
    completion.length = first.length;
    completion.opaque = first.buffer.opaque;
    completion.valid_count =
        static_cast<uint8_t>((pieces_.size() - 1) << RxCompletion::kCountShift);
    entries.add(completion);
    entries.add(details_of(delivery, tag_, failed));
    for (size_t i = 1; i < pieces_.size(); ++i)
        entries.add(RxAggregation{RxAggregation::kType, told_length(i), pieces_[i].buffer.opaque,
                                  uint32_t{0}, uint32_t{0}});
}

// One that was left unfinished ends behind the begin of this one, as those of several flows do.
// Assumed: the end says 0 where Linux reads nothing, and has the number of the first buffer; and it
// does not say again that the begin has failed.
void RxRings::add_aggregate(Entries& entries, const Delivery& delivery, size_t split,
                            const Joining& joining, bool failed) {
    const Piece& first = pieces_.front();
    const uint16_t aggregate =
        std::exchange(first.ring->aggregate, (first.ring->aggregate + 1) % kAggregateNumbers);
    uint16_t flags = flags_of(delivery, split);
    if (joining.as_gro) flags |= TpaStart::kPlacementGro;

    TpaStart start{};
    const bool fails_at_first = failed && delivery.bad_headers;
    start.type_flags = TpaStart::kType | flags | (fails_at_first ? TpaStart::kError : 0);
    start.length = first.length;
    start.opaque = first.buffer.opaque;
    start.aggregate = aggregate;
    if (delivery.rss_type != RssType::kNone) start.rss_hash = delivery.rss_hash;
    entries.add(start);
    const RxDetails of_packet = details_of(delivery, tag_, false);
    TpaStartDetails details{};
    details.flags = of_packet.flags;
    details.metadata = of_packet.metadata;
    if (fails_at_first) details.errors_valid = TpaStartDetails::kBufferError;
    details.headers = TpaStartDetails::headers_at(
        delivery.l3_offset, static_cast<uint16_t>(delivery.payload_offset - delivery.l4_offset));
    entries.add(details);
    add_end_of_unfinished(entries, *first.ring);

    for (size_t i = 1; i < pieces_.size(); ++i)
        entries.add(TpaAggregation{TpaAggregation::kType, told_length(i), pieces_[i].buffer.opaque,
                                   uint16_t{0}, aggregate, uint32_t{0}});

    const size_t payload = delivery.bytes.size() - delivery.payload_offset;
    const size_t mss = delivery.rsc_mss != 0 ? delivery.rsc_mss : payload;
    TpaEnd end{};
    end.type_flags = TpaEnd::kType | flags;
    end.opaque = first.buffer.opaque;
    end.segments = static_cast<uint8_t>((payload + mss - 1) / mss);
    end.aggregate = aggregate;
    TpaEndDetails end_details{};
    end_details.payload_offset = static_cast<uint8_t>(delivery.payload_offset);
    end_details.buffers = static_cast<uint8_t>(pieces_.size() - 1);
    end_details.segment_length = static_cast<uint32_t>(mss);
    if (failed && !fails_at_first) end_details.errors_valid = TpaEndDetails::kBufferError;
    end_details.start_opaque = first.buffer.opaque;
    if (delivery.rest == Rest::kWithNext) {
        first.ring->unfinished = {entry_of(end), entry_of(end_details)};
        if (pieces_.size() > 1) pieces_.back().ring->begun.clear();
        for (const Piece& piece : std::span(pieces_).subspan(1))
            piece.ring->begun.push_back(piece.buffer.address);
        ++counters(*first.ring).unfinished;
        return;
    }
    entries.add(end);
    entries.add(end_details);
}

}  // namespace zcrxlab::nic::bnxt
