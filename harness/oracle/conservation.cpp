// I5: buffers are conserved: after draining, every buffer of the area is usable again, none twice.
#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/oracle/area_table.hpp"
#include "harness/oracle/findings.hpp"
#include "harness/oracle/own_requests.hpp"

namespace zcrxlab {

namespace {

// References of one ifq as the trace has them, to say with a loss what was handed out and given
// back.
struct References {
    uint64_t received = 0;
    uint64_t returned = 0;
};

class ConservationCheck {
  public:
    void see(size_t, const IfqRegistered& e) {
        areas_.add(e);
        own_.see(e);
    }
    void see(size_t, const AreaRegistered& e) { areas_.add(e); }
    void see(size_t, const CountAsked&) { asked_ = true; }
    void see(size_t, const BuffersNotCounted& e) { excused_.insert(e.ifq); }
    void see(size_t index, const CqeSeen& e) {
        if (e.result <= 0) return;
        ++references_[e.ifq].received;
        uncounted_[e.ifq] = index;
    }
    void see(size_t, const OtherSubmitted& e) { own_.see(e); }
    void see(size_t index, const OtherCqeSeen& e) {
        if (const auto ifq = own_.delivered_by(e)) uncounted_[*ifq] = index;
    }
    // A close takes back what the user had, and with it what is lost. What ends a process in the
    // middle leaves nobody who could count.
    void see(size_t, const RingClosed& e) {
        if (e.interrupted && !e.ifq_lives_on) uncounted_.erase(e.ifq);
    }
    void see(size_t, const BufferReturned& e) {
        references_[e.ifq].returned += e.on_purpose ? 0 : 1;
    }
    void see(size_t index, const CapacityMeasured& e) {
        uncounted_.erase(e.ifq);
        const References& seen = references_[e.ifq];
        const std::string so_far = fmt::format(
            "the trace has {} references received and {} returned", seen.received, seen.returned);
        if (e.handed_twice > 0)
            findings_.add(index,
                          fmt::format("{} buffers of ifq {} were handed out again while they "
                                      "were held ({})",
                                      e.handed_twice, e.ifq, so_far));
        if (e.distinct < e.total)
            findings_.add(index,
                          fmt::format("{} of {} buffers of ifq {} never came out again: they "
                                      "are lost ({})",
                                      e.total - e.distinct, e.total, e.ifq, so_far));
        if (e.distinct > e.total)
            findings_.add(index, fmt::format("{} different buffers of ifq {} came out, but it has "
                                             "only {}",
                                             e.distinct, e.ifq, e.total));
        check_total(index, e);
    }
    template <typename Other>
    void see(size_t, const Other&) {}

    std::vector<Violation> judge() {
        for (const auto& [ifq, event] : uncounted_)
            if (asked_ && !excused_.contains(ifq))
                findings_.add(event, fmt::format("ifq {} delivered this, and afterwards nobody "
                                                 "counted its buffers (no CapacityMeasured)",
                                                 ifq));
        return findings_.take();
    }

  private:
    // The number that the drain is compared with must be that of the registration.
    void check_total(size_t index, const CapacityMeasured& e) {
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq == nullptr || ifq->buffer_size == 0) {
            findings_.add(index, fmt::format("ifq {} was drained, but never registered", e.ifq));
            return;
        }
        const uint64_t total = areas_.bytes_of(e.ifq) / ifq->buffer_size;
        if (e.total != total || total == 0)
            findings_.add(index,
                          fmt::format("ifq {} was drained for {} buffers, but its areas have "
                                      "{}",
                                      e.ifq, e.total, total));
    }

    Findings findings_{Invariant::kI5};
    AreaTable areas_;
    std::map<uint32_t, References> references_;
    OwnRequests own_;
    bool asked_ = false;                    // every ifq is to be counted
    std::map<uint32_t, size_t> uncounted_;  // ifq -> the last event that it delivered
    std::set<uint32_t> excused_;            // ifqs
};

}  // namespace

std::vector<Violation> check_conservation(Events events) {
    ConservationCheck check;
    for (size_t i = 0; i < events.size(); ++i)
        std::visit([&](const auto& body) { check.see(i, body); }, events[i].body);
    return check.judge();
}

}  // namespace zcrxlab
