// I2: every CQE is well formed, and each request has exactly one final CQE.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <map>
#include <set>

#include "harness/base/errno_name.hpp"
#include "harness/oracle/area_table.hpp"
#include "harness/oracle/findings.hpp"
#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {

namespace {

// What may end a receive that was under way. Sources: io_uring/zcrx.c (ENOSPC: the CQ is full;
// ENOMEM: no buffer for a copy; EFAULT: a fragment of another provider), cancellation, and the
// errors that TCP puts into sk_err.
constexpr std::array kEndsWhileRunning = {
    ENOSPC,       ENOMEM,       EFAULT,   ECANCELED,   ECONNRESET,   EPIPE,     ETIMEDOUT,
    ECONNABORTED, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ECONNREFUSED, EHOSTDOWN, ENOTCONN};
// What refuses a request at once: only promised while it has not delivered anything.
constexpr std::array kRefusals = {EINVAL, EBADF, ENOTSOCK, EPROTONOSUPPORT, EOPNOTSUPP};

template <size_t N>
bool is_one_of(const std::array<int, N>& list, int64_t result) {
    return std::find(list.begin(), list.end(), -result) != list.end();
}

struct Request {
    size_t submitted = 0;  // event
    uint32_t ifq = 0;
    uint32_t stream = 0;
    uint64_t limit = 0;  // 0 = none
    uint64_t delivered = 0;
    unsigned finals = 0;
};

class CompletionCheck {
  public:
    explicit CompletionCheck(Events events) {
        each_of<PeerClosed>(events,
                            [&](size_t, const PeerClosed& e) { closed_by_peer_.insert(e.stream); });
    }

    void see(size_t, const IfqRegistered& e) {
        areas_.add(e);
        if (e.events != 0) events_of_[{e.ring, e.event_data}] |= e.events;
    }
    void see(size_t, const AreaRegistered& e) { areas_.add(e); }
    void see(size_t index, const RequestSubmitted& e) {
        const auto [at, added] =
            requests_.insert({e.request, {index, e.ifq, e.stream, e.limit, 0, 0}});
        if (!added)
            findings_.add(index,
                          fmt::format("two requests have the user_data {}; their CQEs cannot "
                                      "be told apart",
                                      e.request));
    }
    void see(size_t, const RingClosed& e) {
        for (auto& [number, request] : requests_)
            if (request.ifq == e.ifq) closed_.insert(number);
    }
    void see(size_t index, const CqeSeen& e) {
        const auto found = requests_.find(e.request);
        if (found == requests_.end()) {
            findings_.add(index, fmt::format("a CQE with result {} has the user_data {}, which no "
                                             "request has",
                                             result_name(e.result), e.request));
            return;
        }
        Request& request = found->second;
        if (request.ifq != e.ifq || request.stream != e.stream)
            findings_.add(
                index, fmt::format("{} belongs to stream {} on ifq {}, but its CQE was taken for "
                                   "stream {} on ifq {}",
                                   name(e), request.stream, request.ifq, e.stream, e.ifq));
        if (request.finals > 0)
            findings_.add(index, fmt::format("{} had its final CQE already; another came with "
                                             "result {} and flags {:#x}",
                                             name(e), result_name(e.result), e.flags));
        const bool last = (e.flags & uapi::kCqeMore) == 0;
        if (last) ++request.finals;
        if (e.result > 0) {
            check_data(index, e, request);
        } else if (!last) {
            findings_.add(index, fmt::format("{} has a CQE without data (result {}) that is not "
                                             "final: F_MORE is set, flags {:#x}",
                                             name(e), result_name(e.result), e.flags));
        } else {
            check_final(index, e, request);
        }
    }
    void see(size_t, const OtherSubmitted& e) { ++others_[{e.ring, e.request}]; }
    void see(size_t index, const OtherCqeSeen& e) {
        const auto other = others_.find({e.ring, e.request});
        if (other != others_.end() && other->second > 0) {
            if ((e.flags & uapi::kCqeMore) == 0) --other->second;
        } else if (const auto ended = requests_.find(e.request); ended != requests_.end()) {
            findings_.add(
                index,
                fmt::format("request {} (stream {}) had its final CQE already; another "
                            "came with result {} and flags {:#x}",
                            e.request, ended->second.stream, result_name(e.result), e.flags));
        } else if (!is_event(e)) {
            findings_.add(index,
                          fmt::format("a CQE of ring {} with result {} and flags {:#x} has the "
                                      "user_data {}, to which nothing belongs that is under way",
                                      e.ring, result_name(e.result), e.flags, e.request));
        }
    }
    void see(size_t, const CqMayOverflow& e) { may_overflow_.insert(e.ring); }
    void see(size_t index, const CqFull& e) {
        if (e.overflowed && !may_overflow_.contains(e.ring))
            findings_.add(index, fmt::format("the CQ of ring {} overflowed, which nothing says is "
                                             "meant",
                                             e.ring));
    }
    void see(size_t index, const CqRead& e) {
        if (e.lost > 0)
            findings_.add(index,
                          fmt::format("the kernel threw {} CQEs of ring {} away", e.lost, e.ring));
        if (e.overruns > 0)
            findings_.add(index, fmt::format("the CQ of ring {} had more CQEs than slots, {} times",
                                             e.ring, e.overruns));
    }
    template <typename Other>
    void see(size_t, const Other&) {}

    std::vector<Violation> judge() {
        for (const auto& [number, request] : requests_)
            if (request.finals == 0 && !closed_.contains(number))
                findings_.add(
                    request.submitted,
                    fmt::format("request {} (stream {}) never got its final CQE, after {} "
                                "bytes",
                                number, request.stream, request.delivered));
        return findings_.take();
    }

  private:
    // What an ifq tells, of one of the types that it was asked to tell.
    bool is_event(const OtherCqeSeen& e) const {
        const auto found = events_of_.find({e.ring, e.request});
        return found != events_of_.end() && e.flags == 0 && e.result >= 0 && e.result < 32 &&
               (found->second >> e.result & 1) != 0;
    }
    static std::string name(const CqeSeen& e) {
        return fmt::format("request {} (stream {})", e.request, e.stream);
    }

    void check_data(size_t index, const CqeSeen& e, Request& request) {
        request.delivered += static_cast<uint64_t>(e.result);
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq == nullptr) {
            findings_.add(index, fmt::format("{} delivered data on ifq {}, which was never "
                                             "registered",
                                             name(e), e.ifq));
            return;
        }
        const uint32_t flags = uapi::kCqeMore | (ifq->mixed ? uapi::kCqe32 : 0);
        if (e.flags != flags)
            findings_.add(
                index, fmt::format("the data CQE at position {} of {} has flags {:#x} in "
                                   "place of {:#x}{}",
                                   e.position, name(e), e.flags, flags,
                                   (e.flags & uapi::kCqeMore) == 0 ? ": F_MORE is missing" : ""));
        if (!e.big)
            findings_.add(index, fmt::format("the data CQE at position {} of {} has 16 bytes, no "
                                             "room for an offset",
                                             e.position, name(e)));
        if (e.padding != 0)
            findings_.add(index, fmt::format("the data CQE at position {} of {} has the padding "
                                             "{:#x} in place of 0",
                                             e.position, name(e), e.padding));
        if (request.limit != 0 && request.delivered > request.limit)
            findings_.add(index, fmt::format("{} asked for at most {} bytes and got {}", name(e),
                                             request.limit, request.delivered));
        check_place(index, e, *ifq);
    }

    void check_place(size_t index, const CqeSeen& e, const IfqRegistered& ifq) {
        const AreaRegistered* area = areas_.area_of(e.ifq, e.offset);
        const uint64_t inside = e.offset & uapi::kZcrxOffsetMask;
        const auto length = static_cast<uint64_t>(e.result);
        if (area == nullptr) {
            findings_.add(index, fmt::format("the CQE at position {} of {} names area {} (offset "
                                             "{:#x}), which ifq {} does not have",
                                             e.position, name(e), e.offset >> uapi::kZcrxAreaShift,
                                             e.offset, e.ifq));
            return;
        }
        if (inside > area->length || length > area->length - inside)
            findings_.add(
                index, fmt::format("the CQE at position {} of {} covers {} bytes at "
                                   "{:#x} of area {}, which ends at {:#x}",
                                   e.position, name(e), length, inside, area->area, area->length));
        else if (ifq.buffer_size == 0 || inside % ifq.buffer_size + length > ifq.buffer_size)
            findings_.add(index, fmt::format("the CQE at position {} of {} covers {} bytes at "
                                             "{:#x} of area {}, beyond the end of its buffer of {}",
                                             e.position, name(e), length, inside, area->area,
                                             ifq.buffer_size));
    }

    void check_final(size_t index, const CqeSeen& e, const Request& request) {
        if (e.flags != 0)
            findings_.add(index, fmt::format("the final CQE of {} has flags {:#x} in place of 0",
                                             name(e), e.flags));
        if (e.result == 0) {
            const bool limit_reached = request.limit != 0 && request.delivered == request.limit;
            if (!limit_reached && !closed_by_peer_.contains(e.stream))
                findings_.add(
                    index, fmt::format("{} ended with 0 after {} bytes{}, but the peer "
                                       "never closed the stream",
                                       name(e), request.delivered,
                                       request.limit == 0 ? std::string()
                                                          : fmt::format(" of {}", request.limit)));
        } else if (!is_one_of(kEndsWhileRunning, e.result)) {
            const bool refusal = is_one_of(kRefusals, e.result);
            if (!refusal || request.delivered > 0)
                findings_.add(
                    index,
                    fmt::format("{} ended with {}{}, which no rule promises", name(e),
                                result_name(e.result),
                                refusal ? fmt::format(" after {} bytes", request.delivered) : ""));
        }
    }

    Findings findings_{Invariant::kI2};
    AreaTable areas_;
    std::map<uint64_t, Request> requests_;
    std::set<uint64_t> closed_;  // requests whose ring was closed after they were submitted
    std::set<uint32_t> closed_by_peer_;
    // By ring and user_data: how many other requests are under way, and which events may come.
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> others_;
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> events_of_;
    std::set<uint32_t> may_overflow_;  // rings
};

}  // namespace

std::vector<Violation> check_completions(Events events) {
    CompletionCheck check(events);
    for (size_t i = 0; i < events.size(); ++i)
        std::visit([&](const auto& body) { check.see(i, body); }, events[i].body);
    return check.judge();
}

}  // namespace zcrxlab
