// I1: every byte of the stream arrives exactly once, in order, with the right value.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "harness/oracle/findings.hpp"
#include "harness/uapi/io_uring.hpp"

namespace zcrxlab {

namespace {

struct Stream {
    bool opened = false;
    bool reset = false;
    bool any_cqe = false;
    std::optional<uint64_t> sent;
    uint64_t received = 0;  // sum of all results
    uint64_t next = 0;      // position at which the next CQE must begin
    size_t last_event = 0;
    std::optional<std::pair<size_t, bool>> finished;  // event, complete
    std::optional<std::pair<size_t, uint64_t>> end;   // event of the end of stream, received then
};

class StreamCheck {
  public:
    void see(size_t index, const ConnectionOpened& e) {
        streams_[e.stream].opened = true;
        streams_[e.stream].last_event = index;
    }
    void see(size_t index, const PeerSent& e) {
        Stream& stream = streams_[e.stream];
        stream.sent = std::max(stream.sent.value_or(0), e.total);
        stream.last_event = index;
    }
    void see(size_t, const PeerClosed& e) { streams_[e.stream].reset |= e.reset; }
    void see(size_t, const RequestSubmitted& e) { requests_[e.request] = {e.limit, 0}; }
    void see(size_t index, const StreamFinished& e) {
        streams_[e.stream].finished = {index, e.complete};
    }
    void see(size_t index, const CqeSeen& e) {
        Stream& stream = streams_[e.stream];
        stream.any_cqe = true;
        stream.last_event = index;
        Request& request = requests_[e.request];
        if (e.result > 0) {
            see_data(index, e, stream);
            request.delivered += static_cast<uint64_t>(e.result);
        } else if (e.result == 0 && (e.flags & uapi::kCqeMore) == 0 && !stream.end &&
                   (request.limit == 0 || request.delivered < request.limit)) {
            stream.end = {index, stream.received};
        }
    }
    template <typename Other>
    void see(size_t, const Other&) {}

    std::vector<Violation> judge() {
        for (const auto& [number, stream] : streams_) judge(number, stream);
        return findings_.take();
    }

  private:
    struct Request {
        uint64_t limit = 0;
        uint64_t delivered = 0;
    };

    void see_data(size_t index, const CqeSeen& e, Stream& stream) {
        if (!stream.opened && stream.received == 0)
            findings_.add(
                index, fmt::format("data arrived on stream {}, which was never opened", e.stream));
        if (e.position > stream.next)
            findings_.add(index,
                          fmt::format("stream {} goes on at position {} where {} was "
                                      "expected: {} bytes are missing",
                                      e.stream, e.position, stream.next, e.position - stream.next));
        if (e.position < stream.next)
            findings_.add(index, fmt::format("stream {} goes on at position {} where {} was "
                                             "expected: bytes came again or out of order",
                                             e.stream, e.position, stream.next));
        if (e.mismatch)
            findings_.add(index,
                          fmt::format("stream {} has {:#04x} at position {} where {:#04x} "
                                      "was sent (CQE of {} bytes from position {}, offset "
                                      "{:#x})",
                                      e.stream, e.seen, *e.mismatch, e.expected, e.result,
                                      e.position, e.offset),
                          WrongByte{e.stream, *e.mismatch});
        stream.received += static_cast<uint64_t>(e.result);
        stream.next = e.position + static_cast<uint64_t>(e.result);
    }

    void judge(uint32_t number, const Stream& stream) {
        const uint64_t sent = stream.sent.value_or(0);
        if (!stream.finished) {
            if (stream.received > 0 || sent > 0)
                findings_.add(stream.last_event,
                              fmt::format("stream {} was never finished (no StreamFinished), so "
                                          "nothing compared {} received bytes with {} sent ones",
                                          number, stream.received, sent));
            return;
        }
        const auto [event, complete] = *stream.finished;
        if (complete && !stream.any_cqe) {
            findings_.add(event, fmt::format("stream {} is finished, but nothing at all was "
                                             "received: expected {} bytes",
                                             number, sent));
        } else if (complete && !stream.sent) {
            findings_.add(event,
                          fmt::format("stream {} is finished with {} bytes, but nothing says "
                                      "how many the peer sent (no PeerSent)",
                                      number, stream.received));
        } else if (complete && stream.received != sent) {
            findings_.add(event, fmt::format("stream {} is finished with {} bytes, but the peer "
                                             "sent {}",
                                             number, stream.received, sent));
        } else if (stream.sent && stream.received > sent) {
            findings_.add(event, fmt::format("stream {} delivered {} bytes, but the peer sent only "
                                             "{}",
                                             number, stream.received, sent));
        } else if (stream.end && !stream.reset && stream.end->second < sent) {
            findings_.add(stream.end->first,
                          fmt::format("stream {} ended after {} bytes, but the peer sent {}",
                                      number, stream.end->second, sent));
        }
    }

    Findings findings_{Invariant::kI1};
    std::map<uint32_t, Stream> streams_;
    std::map<uint64_t, Request> requests_;
};

}  // namespace

std::vector<Violation> check_stream(Events events) {
    StreamCheck check;
    for (size_t i = 0; i < events.size(); ++i)
        std::visit([&](const auto& body) { check.see(i, body); }, events[i].body);
    return check.judge();
}

}  // namespace zcrxlab
