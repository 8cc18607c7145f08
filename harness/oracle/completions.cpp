// I2: every CQE is well formed, and each request has exactly one final CQE.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
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
    uint32_t ring = 0;
    uint64_t limit = 0;  // 0 = none
    uint64_t delivered = 0;
    unsigned finals = 0;
    size_t with_user = 0;  // buffers of its ifq, when its last data was read
};

class CompletionCheck {
  public:
    explicit CompletionCheck(Events events) {
        each_of<CopiesExpected>(events, [&](size_t, const CopiesExpected& e) {
            if (e.bytes + e.undecided > 0) copying_.insert(e.ifq);
        });
    }

    void see(size_t, const IfqRegistered& e) {
        areas_.add(e);
        if (e.events != 0) events_of_[{e.ring, e.event_data}] |= e.events;
    }
    void see(size_t, const AreaRegistered& e) { areas_.add(e); }
    void see(size_t index, const RequestSubmitted& e) {
        const auto [at, added] =
            requests_.insert({e.request, {index, e.ifq, e.stream, e.ring, e.limit, 0, 0, 0}});
        users_[e.ifq].rings.insert(e.ring);
        if (!added)
            findings_.add(index,
                          fmt::format("two requests have the user_data {}; their CQEs cannot "
                                      "be told apart",
                                      e.request));
    }
    void see(size_t, const RingClosed& e) {
        if (!e.ifq_lives_on) users_.erase(e.ifq);
        if (!e.interrupted) return;
        for (auto& [number, request] : requests_)
            if (request.ifq == e.ifq && (e.ring == 0 || request.ring == e.ring))
                interrupted_.insert(number);
    }
    void see(size_t, const PeerClosed& e) { closed_by_peer_.insert(e.stream); }
    void see(size_t, const EndMeant& e) { meant_.insert({e.stream, e.result}); }
    void see(size_t, const BufferReturned& e) {
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (e.on_purpose || ifq == nullptr || ifq->buffer_size == 0) return;
        auto& buffers = users_[e.ifq].buffers;
        const auto found = buffers.find(e.offset / ifq->buffer_size);
        if (found != buffers.end() && --found->second == 0) buffers.erase(found);
    }
    // Both numbers are of this moment: another thread may give back before the final CQE is told.
    void see(size_t, const RefillRead& e) {
        User& user = users_[e.ifq];
        user.in_refill_ring = e.entries;
        user.with_user = user.buffers.size();
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
    void see(size_t, const OtherSubmitted& e) {
        ++others_[{e.ring, e.request}];
        if (e.operation == "cancel") cancelled_.insert(e.target);
    }
    void see(size_t index, const OtherCqeSeen& e) {
        if (e.result > 0) read_by_others_.insert(e.ring);
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
        full_[e.ring] = index;
        if (e.overflowed && !may_overflow_.contains(e.ring))
            findings_.add(index, fmt::format("the CQ of ring {} overflowed, which nothing says is "
                                             "meant",
                                             e.ring));
    }
    void see(size_t index, const CqRead& e) {
        read_[e.ring] = index;
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
        std::set<uint32_t> unread;
        for (const auto& [number, request] : requests_) {
            if (interrupted_.contains(number)) continue;
            if (request.finals == 0)
                findings_.add(
                    request.submitted,
                    fmt::format("request {} (stream {}) never got its final CQE, after {} "
                                "bytes",
                                number, request.stream, request.delivered));
            const auto read = read_.find(request.ring);
            if (request.ring != 0 && (read == read_.end() || read->second < request.submitted) &&
                unread.insert(request.ring).second)
                findings_.add(request.submitted,
                              fmt::format("nothing says whether the CQ of ring {} lost a CQE (no "
                                          "CqRead)",
                                          request.ring));
        }
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

    // Buffers of an ifq that the kernel cannot have, and who knows of them.
    struct User {
        std::map<uint64_t, uint64_t> buffers;  // offset / buffer size, to references
        uint64_t in_refill_ring = 0;           // when it was last read
        std::optional<uint64_t> with_user;     // buffers, at that moment
        std::set<uint32_t> rings;
    };

    void check_data(size_t index, const CqeSeen& e, Request& request) {
        request.delivered += static_cast<uint64_t>(e.result);
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq != nullptr && ifq->buffer_size != 0) {
            User& user = users_[e.ifq];
            ++user.buffers[e.offset / ifq->buffer_size];
            request.with_user = user.buffers.size();
        }
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
            findings_.add(index,
                          fmt::format("{} asked for at most {} bytes and got {}", name(e),
                                      request.limit, request.delivered),
                          BehindLength{request.limit, request.delivered});
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
        if (meant_.contains({e.stream, e.result})) return;
        if (e.result == 0) {
            const bool limit_reached = request.limit != 0 && request.delivered == request.limit;
            if (!limit_reached && !closed_by_peer_.contains(e.stream))
                findings_.add(
                    index, fmt::format("{} ended with 0 after {} bytes{}, but the peer "
                                       "had not closed the stream",
                                       name(e), request.delivered,
                                       request.limit == 0 ? std::string()
                                                          : fmt::format(" of {}", request.limit)));
        } else if (const std::string missing = missing_cause(e, request); !missing.empty()) {
            findings_.add(index, fmt::format("{} ended with {} after {} bytes, but {}", name(e),
                                             result_name(e.result), request.delivered, missing));
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

    // What the trace lacks for this end; empty if it has that, or if no event could show it.
    std::string missing_cause(const CqeSeen& e, const Request& request) const {
        switch (-e.result) {
            case ENOSPC: {
                const auto full = full_.find(request.ring);
                if (full != full_.end() && full->second > request.submitted) return {};
                return "the CQ was never full since it was submitted";
            }
            case ENOMEM:
                return missing_want_of_buffers(e, request);
            case ECANCELED:
                return cancelled_.contains(e.request) ? "" : "nobody had cancelled it";
            case EFAULT:
                return "nothing says that it would";
            default:
                return {};
        }
    }

    // Only a copy needs a buffer, of an area that has none. How many a NIC has is not known.
    std::string missing_want_of_buffers(const CqeSeen& e, const Request& request) const {
        const IfqRegistered* ifq = areas_.ifq(e.ifq);
        if (ifq == nullptr || ifq->buffer_size == 0) return {};
        if (ifq->zero_copy_expected && !copying_.contains(e.ifq)) return "nothing was to be copied";
        const auto user = users_.find(e.ifq);
        const User none;
        const User& with = user == users_.end() ? none : user->second;
        // What another ring has got may not have been read yet.
        if (!ifq->interface.empty() || with.rings.size() > 1 ||
            read_by_others_.contains(request.ring))
            return {};
        const uint64_t buffers = areas_.bytes_of(e.ifq) / ifq->buffer_size;
        // Behind a CQ that was full, the kernel may have ended it before anything went back of what
        // came with the data before.
        const auto full = full_.find(request.ring);
        const bool late = full != full_.end() && full->second > request.submitted;
        const uint64_t with_user = std::max<uint64_t>(with.with_user.value_or(with.buffers.size()),
                                                      late ? request.with_user : 0);
        if (with_user + with.in_refill_ring >= buffers) return {};
        return fmt::format("only {} of {} buffers were with the user, and {} in the refill ring",
                           with_user, buffers, with.in_refill_ring);
    }

    Findings findings_{Invariant::kI2};
    AreaTable areas_;
    std::map<uint64_t, Request> requests_;
    std::set<uint64_t> interrupted_;     // requests that were under way when their ring was closed
    std::set<uint32_t> closed_by_peer_;  // streams, until now
    std::set<std::pair<uint32_t, int32_t>> meant_;  // streams and results
    std::set<uint64_t> cancelled_;                  // requests
    std::set<uint32_t> copying_;                    // ifqs that are to copy something
    std::map<uint32_t, User> users_;                // by ifq
    std::map<uint32_t, size_t> full_, read_;        // rings, to the last event that says so
    std::set<uint32_t> read_by_others_;             // rings whose data the test reads by itself
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
