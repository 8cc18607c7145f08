// I3: memory that the user holds does not change until it is returned; live ranges never overlap.
#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>

#include "harness/oracle/area_table.hpp"
#include "harness/oracle/dma_index.hpp"
#include "harness/oracle/findings.hpp"

namespace zcrxlab {

namespace {

// Ranges by their first byte. Two may overlap only after that was reported.
class RangeSet {
  public:
    struct Range {
        uint64_t to = 0;  // first byte behind it
        uint64_t holder = 0;
    };
    using Ranges = std::multimap<uint64_t, Range>;

    // A range that shares a byte with [from, to); end() if none does.
    Ranges::const_iterator overlapping(uint64_t from, uint64_t to) const {
        auto next = ranges_.lower_bound(from);
        if (next != ranges_.end() && next->first < to) return next;
        if (next != ranges_.begin() && (--next)->second.to > from) return next;
        return ranges_.end();
    }
    template <typename Visit>
    void each_overlapping(uint64_t from, uint64_t to, Visit&& visit) const {
        auto range = ranges_.lower_bound(from);
        if (range != ranges_.begin() && std::prev(range)->second.to > from) --range;
        for (; range != ranges_.end() && range->first < to; ++range)
            visit(range->first, range->second);
    }
    Ranges::const_iterator end() const { return ranges_.end(); }
    void insert(uint64_t from, uint64_t to, uint64_t holder) {
        ranges_.insert({from, {to, holder}});
    }
    void erase(uint64_t from, uint64_t holder) {
        auto [at, last] = ranges_.equal_range(from);
        while (at != last && at->second.holder != holder) ++at;
        if (at != last) ranges_.erase(at);
    }

  private:
    Ranges ranges_;
};

// The part of a CQE's bytes that lies in one page.
struct Piece {
    uint64_t address = 0;  // guest physical address
    uint64_t position = 0;
    uint64_t length = 0;
};

// A data CQE that has not been returned.
struct Held {
    size_t event = 0;
    const CqeSeen* cqe = nullptr;
    std::vector<Piece> pieces = {};  // up to the first page that is not known; only with zero copy

    uint64_t length() const { return static_cast<uint64_t>(cqe->result); }
};

class HeldMemoryCheck {
  public:
    explicit HeldMemoryCheck(Events events) : events_(events), index_(events) {}

    void see(size_t, const IfqRegistered& e) { areas_.add(e); }
    void see(size_t, const AreaRegistered& e) { areas_.add(e); }

    void see(size_t index, const CqeSeen& e) {
        if (e.result <= 0) return;
        compared_.erase(e.ifq);
        const Held held{index, &e, pieces_of(e)};
        RangeSet& offsets = by_offset_[e.ifq];
        const uint64_t to = e.offset + held.length();
        if (const auto other = offsets.overlapping(e.offset, to); other != offsets.end()) {
            report_overlap(index, held, held_.at(other->second.holder));
        } else {
            // Other areas and ifqs must not lead to the same memory either.
            for (const Piece& piece : held.pieces) {
                const auto same =
                    by_address_.overlapping(piece.address, piece.address + piece.length);
                if (same == by_address_.end()) continue;
                report_overlap(index, held, held_.at(same->second.holder));
                break;
            }
        }
        offsets.insert(e.offset, to, index);
        for (const Piece& piece : held.pieces)
            by_address_.insert(piece.address, piece.address + piece.length, index);
        held_.emplace(index, held);
    }

    void see(size_t index, const BufferReturned& e) {
        // It names nothing, whatever its offset is.
        if (e.on_purpose) return;
        const RangeSet& offsets = by_offset_[e.ifq];
        const auto range = offsets.overlapping(e.offset, e.offset + 1);
        if (range == offsets.end()) {
            findings_.add(index, fmt::format("offset {:#x} of ifq {} was returned, but the user "
                                             "does not hold it",
                                             e.offset, e.ifq));
            return;
        }
        const Held held = held_.at(range->second.holder);
        if (e.changed)
            findings_.add(index,
                          fmt::format("held memory changed: position {} of stream {}, "
                                      "received at offset {:#x} of ifq {}, was another byte "
                                      "when it was returned",
                                      *e.changed, held.cqe->stream, held.cqe->offset, e.ifq));
        release(held);
    }

    void see(size_t index, const HeldCompared& e) {
        compared_.insert(e.ifq);
        if (e.changed)
            findings_.add(index,
                          fmt::format("held memory changed: position {} of stream {}, received at "
                                      "offset {:#x} of ifq {}, was another byte before the ring "
                                      "was closed",
                                      *e.changed, e.stream, e.offset, e.ifq));
    }

    void see(size_t index, const RingClosed& e) {
        if (e.ifq_lives_on) return;
        std::vector<Held> gone;
        for (const auto& [event, held] : held_)
            if (held.cqe->ifq == e.ifq) gone.push_back(held);
        if (!gone.empty() && !e.interrupted && !compared_.contains(e.ifq))
            findings_.add(index, fmt::format("{} CQEs of ifq {} were still held when its ring was "
                                             "closed, and nothing compared them (no HeldCompared)",
                                             gone.size(), e.ifq));
        for (const Held& held : gone) {
            release(held);
            for (const Piece& piece : held.pieces)
                never_returned_by_address_.insert(piece.address, piece.address + piece.length,
                                                  held.event);
            never_returned_.emplace(held.event, held);
        }
    }

    // What is in this log happened before it was taken. A write into held bytes that is newer than
    // the write that brought them was made after these were handed to the kernel's stack, and no
    // return lies between.
    void see(size_t index, const DmaWrites& log) {
        for (const DmaLogEntry& entry : log.entries) {
            const uint64_t from = entry.address;
            if (entry.length > kLongestDmaWrite) continue;
            by_address_.each_overlapping(
                from, from + entry.length, [&](uint64_t first, const RangeSet::Range& range) {
                    check_write(index, entry, held_.at(range.holder), std::max(from, first));
                });
            never_returned_by_address_.each_overlapping(
                from, from + entry.length, [&](uint64_t first, const RangeSet::Range& range) {
                    const Held& held = never_returned_.at(range.holder);
                    if (entry.sequence <= newest_delivered(held.cqe->ifq))
                        check_write(index, entry, held, std::max(from, first));
                });
        }
    }

    template <typename Other>
    void see(size_t, const Other&) {}

    std::vector<Violation> judge() { return findings_.take(); }

  private:
    // A log that was taken behind the close has no order with the trace. But what the device wrote
    // before something that an ifq delivered, it wrote before the ring was closed: the newest of
    // these writes.
    uint64_t newest_delivered(uint32_t ifq) {
        const auto [found, added] = newest_delivered_.insert({ifq, 0});
        uint64_t& newest = found->second;
        if (!added) return newest;
        each_of<CqeSeen>(events_, [&](size_t, const CqeSeen& e) {
            if (e.result <= 0 || e.ifq != ifq) return;
            if (const auto address = areas_.physical(ifq, e.offset))
                newest = std::max(newest, index_.newest_to(e.stream, e.position, *address));
        });
        return newest;
    }

    std::vector<Piece> pieces_of(const CqeSeen& e) const {
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq == nullptr || !ifq->zero_copy_expected) return {};
        std::vector<Piece> pieces;
        const auto length = static_cast<uint64_t>(e.result);
        for (uint64_t done = 0; done < length;) {
            const uint64_t offset = e.offset + done;
            const auto address = areas_.physical(e.ifq, offset);
            if (!address) break;
            const uint64_t piece =
                std::min(length - done, kGuestPageSize - offset % kGuestPageSize);
            pieces.push_back({*address, e.position + done, piece});
            done += piece;
        }
        return pieces;
    }

    void check_write(size_t index, const DmaLogEntry& entry, const Held& held, uint64_t address) {
        const CqeSeen& e = *held.cqe;
        const auto piece =
            std::find_if(held.pieces.begin(), held.pieces.end(), [&](const Piece& candidate) {
                return address >= candidate.address &&
                       address - candidate.address < candidate.length;
            });
        if (piece == held.pieces.end()) return;
        const uint64_t position = piece->position + (address - piece->address);
        const uint64_t brought_by = index_.newest_to(e.stream, position, address);
        // Without the write that brought the bytes there is no order; I4 judges that.
        if (brought_by == 0 || entry.sequence <= brought_by) return;
        findings_.add(index, fmt::format("held memory was written: position {} of stream {} at "
                                         "{:#x} (offset {:#x} of ifq {}) came by DMA write {}, and "
                                         "DMA write {} went to the same bytes before it was "
                                         "returned",
                                         position, e.stream, address, e.offset, e.ifq, brought_by,
                                         entry.sequence.get()));
    }

    void report_overlap(size_t index, const Held& held, const Held& other) {
        const CqeSeen& a = *held.cqe;
        const CqeSeen& b = *other.cqe;
        findings_.add(index,
                      fmt::format("live ranges overlap: position {} of stream {} was "
                                  "delivered at offset {:#x} of ifq {} ({} bytes), where "
                                  "position {} of stream {} is still held (offset {:#x} of "
                                  "ifq {}, {} bytes, event {})",
                                  a.position, a.stream, a.offset, a.ifq, a.result, b.position,
                                  b.stream, b.offset, b.ifq, b.result, other.event));
    }

    void release(const Held& held) {
        by_offset_[held.cqe->ifq].erase(held.cqe->offset, held.event);
        for (const Piece& piece : held.pieces) by_address_.erase(piece.address, held.event);
        held_.erase(held.event);
    }

    Findings findings_{Invariant::kI3};
    Events events_;
    DmaIndex index_;
    AreaTable areas_;
    std::map<uint64_t, Held> held_;           // by event
    std::map<uint32_t, RangeSet> by_offset_;  // by ifq
    RangeSet by_address_;
    std::set<uint32_t> compared_;  // ifqs of which everything that is held was
    // What the user had until its ring was closed.
    std::map<uint64_t, Held> never_returned_;  // by event
    RangeSet never_returned_by_address_;
    std::map<uint32_t, uint64_t> newest_delivered_;  // by ifq
};

}  // namespace

std::vector<Violation> check_held_memory(Events events) {
    HeldMemoryCheck check(events);
    for (size_t i = 0; i < events.size(); ++i)
        std::visit([&](const auto& body) { check.see(i, body); }, events[i].body);
    return check.judge();
}

}  // namespace zcrxlab
