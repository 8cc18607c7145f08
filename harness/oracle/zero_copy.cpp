// I4: zero copy is proven by the device's own log: the bytes of a CQE were written by its DMA into
// the very page behind the CQE's address.
#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/oracle/area_table.hpp"
#include "harness/oracle/dma_index.hpp"
#include "harness/oracle/findings.hpp"
#include "harness/oracle/own_requests.hpp"

namespace zcrxlab {

namespace {

// What one ifq delivered.
struct Tally {
    size_t last_event = 0;
    uint64_t copied = 0;
    size_t first_event = 0;  // of the first copied bytes
    std::string first;       // and how they were
    std::optional<uint64_t> expected;
    uint64_t undecided = 0;
};

// What the queue of one ifq received, and what the ifq delivered.
struct Counted {
    uint64_t packets = 0, bytes = 0;
    uint64_t delivered = 0;
    size_t last_event = 0;
    // Where the last count was, if the ifq was to go on behind it until it is killed.
    std::optional<size_t> ends;
};

std::string where_to(const PayloadWrite& write, uint64_t position) {
    const DmaLogEntry& entry = *write.entry;
    const std::string page =
        entry.address == kAddressUnknown
            ? "a page that it was never told of"
            : fmt::format("{:#x}", write.address + write.distance_to(position));
    std::string text = fmt::format("{}to {} (DMA write {}, packet {}, queue {}",
                                   entry.kind == DmaKind::kUnsplit ? "unsplit " : "", page,
                                   entry.sequence.get(), entry.packet.get(), entry.queue.get());
    if (entry.fault != 0) text += fmt::format(", fault rule {}", entry.fault.get());
    return text + ")";
}

class ZeroCopyCheck {
  public:
    explicit ZeroCopyCheck(Events events) : index_(events) {
        each_of<IfqRegistered>(events, [&](size_t, const auto& e) { areas_.add(e); });
        each_of<AreaRegistered>(events, [&](size_t, const auto& e) { areas_.add(e); });
        each_of<CopiesExpected>(events, [&](size_t index, const CopiesExpected& e) {
            Tally& tally = tallies_[e.ifq];
            tally.expected = tally.expected.value_or(0) + e.bytes;
            tally.undecided += e.undecided;
            tally.last_event = index;
        });
        each_of<QueueCounted>(events, [&](size_t index, const QueueCounted& e) {
            Counted& counted = counted_[e.ifq];
            counted.packets += e.packets;
            counted.bytes += e.bytes;
            counted.ends = e.goes_on ? std::optional(index) : std::nullopt;
        });
        each_of<RingClosed>(events, [&](size_t, const RingClosed& e) {
            if (e.interrupted) interrupted_.insert(e.ifq);
        });
        each_of<DmaWrites>(events, [&](size_t index, const DmaWrites& e) {
            if (e.lost > 0)
                findings_.add(index, fmt::format("{} entries of the device's log were lost before "
                                                 "they were read: read it more often",
                                                 e.lost));
        });
        each_of<CopiesNotTold>(events, [&](size_t, const CopiesNotTold& e) {
            not_told_.insert(e.ifq);
            if (e.why == CopiesUnknown::kGaveUp) gave_up_.insert(e.ifq);
        });
        each_of<CqeSeen>(events, [&](size_t index, const CqeSeen& e) {
            if (e.result > 0) see(index, e);
        });
        see_own_requests(events);
    }

    std::vector<Violation> judge() {
        for (const auto& [ifq, counted] : counted_) {
            // Which bytes were copied cannot be seen; so many may come from elsewhere.
            uint64_t elsewhere = 0;
            if (const auto tally = tallies_.find(ifq); tally != tallies_.end())
                elsewhere = tally->second.expected.value_or(0) + tally->second.undecided;
            if (index_.has_log() || counted.delivered <= counted.bytes + elsewhere) continue;
            findings_.add(counted.last_event,
                          fmt::format("ifq {} delivered {} bytes, but its queue received only {} "
                                      "bytes in {} packets: the rest came in elsewhere and was "
                                      "copied",
                                      ifq, counted.delivered, counted.bytes, counted.packets));
        }
        for (const auto& [ifq, tally] : tallies_) {
            if (!tally.expected) continue;
            if (!index_.has_log() && counted_.contains(ifq)) continue;
            if (tally.copied >= *tally.expected &&
                tally.copied - *tally.expected <= tally.undecided)
                continue;
            const std::string more =
                tally.undecided == 0
                    ? ""
                    : fmt::format(" (or up to {} more, written twice)", tally.undecided);
            findings_.add(tally.copied > 0 ? tally.first_event : tally.last_event,
                          fmt::format("on ifq {} exactly {} bytes were to be copied{}, but {} "
                                      "were{}{}",
                                      ifq, *tally.expected, more, tally.copied,
                                      tally.first.empty() ? "" : "; the first: ", tally.first));
        }
        return findings_.take();
    }

  private:
    void see(size_t index, const CqeSeen& e) {
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq == nullptr) return;  // I2 names it
        const auto expected = tallies_.find(e.ifq);
        const bool counts = expected != tallies_.end() && expected->second.expected;
        if (!ifq->zero_copy_expected && !counts) return demand_a_number(index, *ifq);
        if (ifq->interface.empty()) {
            // No device, no DMA: everything is copied.
            note_copy(index, e.ifq, static_cast<uint64_t>(e.result), "there is no device");
            return;
        }
        if (const auto counted = counted_.find(e.ifq);
            !index_.has_log() && counted != counted_.end()) {
            see_counted(index, e, counted->second);
            return;
        }
        if (!index_.has_log()) {
            if (complained_.insert(e.ifq).second)
                findings_.add(index, fmt::format("ifq {} delivered data, but the trace has no DMA "
                                                 "log of the device (no DmaWrites), nor counts "
                                                 "of its queue, so nothing proves zero copy",
                                                 e.ifq));
            return;
        }
        prove(index, e, counts);
    }

    void see_counted(size_t index, const CqeSeen& e, Counted& counted) {
        const bool behind = counted.ends && index > *counted.ends && interrupted_.contains(e.ifq);
        if (!behind) {
            counted.delivered += static_cast<uint64_t>(e.result);
            counted.last_event = index;
        } else if (counted.delivered == 0 && complained_.insert(e.ifq).second) {
            findings_.add(index, fmt::format("ifq {} delivered data only behind the count of its "
                                             "queue, so nothing proves zero copy",
                                             e.ifq));
        }
    }

    // These have no position, by which the log could be asked.
    void see_own_requests(Events events) {
        OwnRequests own;
        each_of<IfqRegistered>(events, [&](size_t, const auto& e) { own.see(e); });
        each_of<OtherSubmitted>(events, [&](size_t, const auto& e) { own.see(e); });
        each_of<OtherCqeSeen>(events, [&](size_t index, const OtherCqeSeen& e) {
            const auto ifq = own.delivered_by(e);
            if (ifq && areas_.ifq(*ifq) != nullptr) demand_a_number(index, *areas_.ifq(*ifq));
        });
    }

    // What an ifq of a device with a log delivers is judged, unless the test says why not.
    void demand_a_number(size_t index, const IfqRegistered& ifq) {
        if (ifq.interface.empty() || !index_.has_log() || not_told_.contains(ifq.ifq)) return;
        if (complained_.insert(ifq.ifq).second)
            findings_.add(index, fmt::format("ifq {} delivered data that nothing judges: the "
                                             "device has a log, but the trace says neither how "
                                             "many bytes are to be copied (CopiesExpected) nor why "
                                             "that is not known (CopiesNotTold)",
                                             ifq.ifq));
    }

    // Page by page: pages behind consecutive offsets may lie anywhere.
    void prove(size_t index, const CqeSeen& e, bool counts) {
        uint64_t unproven = 0;
        std::string why;
        const PayloadWrite* instead = nullptr;  // at the first byte that is not proven
        const auto length = static_cast<uint64_t>(e.result);
        for (uint64_t done = 0; done < length;) {
            const uint64_t offset = e.offset + done;
            const uint64_t piece =
                std::min(length - done, kGuestPageSize - offset % kGuestPageSize);
            const uint64_t position = e.position + done;
            const auto address = areas_.physical(e.ifq, offset);
            if (!address) {
                unproven += length - done;
                if (why.empty())
                    why = fmt::format(
                        "position {} lies at offset {:#x}, whose page is not known "
                        "from the registration",
                        position, offset);
                break;
            }
            done += piece;
            for (const PositionRange& gap :
                 index_.not_written_to(e.stream, position, piece, *address)) {
                unproven += gap.to - gap.from;
                if (!why.empty()) continue;
                const uint64_t there = *address + (gap.from - position);
                why = explain(e, gap.from, there, offset);
                // A byte with the right value is a copy of its own.
                if (e.mismatch) instead = index_.of_others_only(there, e.stream);
            }
        }
        if (unproven == 0 || (gave_up_.contains(e.ifq) && !index_.knows(e.stream))) return;
        std::string text = fmt::format(
            "{} of the {} bytes of the CQE at position {} of stream {} were not put "
            "there by the device: {}",
            unproven, length, e.position, e.stream, why);
        About about;
        if (e.mismatch) about = WrongPlace{e.stream, *e.mismatch};
        if (instead != nullptr) {
            text += fmt::format("; what the device put there is of stream {} (DMA write {})",
                                instead->stream, instead->entry->sequence.get());
            about = OfAnotherStream{e.stream, instead->stream};
        }
        if (counts)
            note_copy(index, e.ifq, unproven, text);
        else
            findings_.add(index, text, about);
    }

    std::string explain(const CqeSeen& e, uint64_t position, uint64_t address,
                        uint64_t offset) const {
        std::string text = fmt::format(
            "position {} was delivered at {:#x} (page {:#x}, offset "
            "{:#x})",
            position, address, address - address % kGuestPageSize, offset);
        if (const PayloadWrite* write = index_.written_elsewhere(e.stream, position, address))
            text +=
                ", but the device had put it " + where_to(*write, position) + ", so it was copied";
        else if (!index_.knows(e.stream))
            text += fmt::format(
                ", but the device's log has no TCP connection (with its SYN) of "
                "stream {}'s ports",
                e.stream);
        else
            text += ", but the device's log has no write of this byte";
        return text;
    }

    void note_copy(size_t index, uint32_t ifq, uint64_t bytes, const std::string& how) {
        Tally& tally = tallies_[ifq];
        if (tally.copied == 0) {
            tally.first_event = index;
            tally.first = how;
        }
        tally.copied += bytes;
        tally.last_event = std::max(tally.last_event, index);
    }

    Findings findings_{Invariant::kI4};
    DmaIndex index_;
    AreaTable areas_;
    std::map<uint32_t, Tally> tallies_;    // by ifq
    std::map<uint32_t, Counted> counted_;  // by ifq
    std::set<uint32_t> complained_;        // ifqs that nothing proves
    std::set<uint32_t> not_told_;          // ifqs of which no number can be told
    std::set<uint32_t> gave_up_;           // of these, those of a test that gave up
    std::set<uint32_t> interrupted_;       // ifqs whose ring was closed in the middle
};

}  // namespace

std::vector<Violation> check_zero_copy(Events events) {
    return ZeroCopyCheck(events).judge();
}

}  // namespace zcrxlab
