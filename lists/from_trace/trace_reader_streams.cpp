// TraceReader: reads connections, what was sent and received on them, and their requests.
#include "lists/from_trace/trace_reader.hpp"

#include <algorithm>
#include <cerrno>

#include "harness/base/errno_name.hpp"
#include "harness/trace/trace.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/from_trace/sends_seen.hpp"

namespace zcrxlab {

namespace {

// Beyond what a socket surely holds, a list does not wait for data that nobody reads.
constexpr uint64_t kMostQueued = 3U << 20;

}  // namespace

bool TraceReader::is_armed_again(uint32_t stream) const {
    for (size_t i = at_ + 1; i < events_.size(); ++i)
        if (const auto* request = std::get_if<RequestSubmitted>(&events_[i].body);
            request != nullptr && request->stream == stream)
            return true;
    return false;
}

std::string TraceReader::thread_of(const StreamSeen& stream) const {
    const auto ifq = ifqs_.find(stream.ifq);
    return ifq != ifqs_.end() && ifq->second.ring ? ifq->second.ring->thread : "";
}

void TraceReader::take(const ConnectionOpened& event) {
    StreamSeen& stream = streams_[event.stream];
    if (of_capacity_.contains(event.stream)) return;
    // One that is never armed may be any open ifq's.
    if (stream.ifq == 0)
        for (const auto& [number, ifq] : ifqs_)
            if (ifq.ring && !ifq.closed) stream.ifq = number;
    connect(event.stream);
}

void TraceReader::connect(uint32_t number) {
    StreamSeen& stream = streams_[number];
    const auto ifq = ifqs_.find(stream.ifq);
    if (stream.connected || stream.opened == nullptr || ifq == ifqs_.end() || !ifq->second.ring ||
        ifq->second.closed)
        return;
    Action& made = add(Verb::kConnect, "s", number, ifq->second.ring->thread);
    made.set("ifq", named("q", stream.ifq));
    if (!stream.route.empty() && stream.route != "queue") made.set("route", stream.route);
    if (stream.opened->family == 6) made.set("family", 6);
    if (stream.opened->mss != 0) made.set("mss", stream.opened->mss);
    if (stream.opened->receive_buffer != 0)
        made.set("receive_buffer", stream.opened->receive_buffer);
    if (stream.opened->send_buffer != 0) made.set("send_buffer", stream.opened->send_buffer);
    stream.connected = true;
    tell_to_send(number);
    if (stream.ended) end(number);
}

void TraceReader::tell_to_send(uint32_t number) {
    StreamSeen& stream = streams_[number];
    if (!stream.connected || stream.sent <= stream.told) return;
    const uint64_t bytes = stream.sent - stream.told;
    stream.told = stream.sent;
    if (stream.send) {
        Action& going_on = list_.actions[*stream.send];
        going_on.set("bytes", going_on.number("bytes") + bytes);
    } else {
        add(Verb::kSend, "s", number, thread_of(stream)).set("bytes", bytes);
        stream.send = list_.actions.size() - 1;
        stream.writes.clear();
    }
    stream.writes.push_back(bytes);
}

void TraceReader::finish_send(StreamSeen& stream) {
    if (!stream.send) return;
    const Cut cut = cut_of(stream.writes);
    if (!cut.exact) missing_.insert("the sizes of all writes, after the first 64");
    if (cut.bytes != std::vector<uint64_t>{65536})
        list_.actions[*stream.send].set("cut", cut.bytes);
    stream.send.reset();
}

void TraceReader::take(const PeerSent& event) {
    if (of_capacity_.contains(event.stream)) return;
    StreamSeen& stream = streams_[event.stream];
    stream.sent = std::max(stream.sent, event.total);
    tell_to_send(event.stream);
}

void TraceReader::end(uint32_t number) {
    const StreamSeen& stream = streams_[number];
    Action& ended = add(Verb::kEnd, "s", number, thread_of(stream));
    if (stream.reset) ended.set("how", "reset");
}

void TraceReader::take(const PeerClosed& event) {
    StreamSeen& stream = streams_[event.stream];
    if (stream.ended || of_capacity_.contains(event.stream)) return;
    stream.ended = true;
    stream.reset = event.reset;
    // Behind a reset nothing more can be received: what was has to be before.
    if (event.reset) settle(event.stream);
    if (stream.connected) end(event.stream);
}

void TraceReader::take(const RequestSubmitted& event) {
    if (of_capacity_.contains(event.stream)) return;
    connect(event.stream);
    StreamSeen& stream = streams_[event.stream];
    stream.of_request = 0;
    if (!stream.connected || stream.armed) return;
    settle_ring_of(stream);
    if (!stream.added && stream.told > 0 && stream.told <= kMostQueued)
        add(Verb::kWait, "s", event.stream, thread_of(stream)).set("queued", stream.told);
    Action& armed = add(Verb::kArm, "s", event.stream, thread_of(stream));
    if (event.limit != 0) armed.set("limit", event.limit);
    if (event.poll_first) armed.set("poll_first", "yes");
    stream.limit = event.limit;
    stream.armed = stream.added = true;
}

void TraceReader::take(const CqeSeen& event) {
    if (of_capacity_.contains(event.stream)) return;
    StreamSeen& stream = streams_[event.stream];
    if (event.result > 0) {
        stream.received += static_cast<uint64_t>(event.result);
        stream.of_request += static_cast<uint64_t>(event.result);
    }
    constexpr uint32_t kMore = 2;
    if ((event.flags & kMore) != 0 || !stream.connected) return;
    stream.final_result = event.result;
    const bool reached = stream.limit != 0 && stream.of_request >= stream.limit;
    const bool again =
        event.result == -ENOSPC || event.result == -ENOMEM || (event.result >= 0 && reached);
    // The receiving loop arms again by itself behind these.
    if (again && is_armed_again(event.stream)) return;
    if (again) dont_arm_again(stream);
    stream.armed = false;
    if (event.result == -ECANCELED) {
        settle(event.stream);
        add(Verb::kCancel, "s", event.stream, thread_of(stream));
    } else {
        stream.final_waits = true;
    }
}

void TraceReader::dont_arm_again(const StreamSeen& stream) {
    const RingSeen& ring = *ifqs_.at(stream.ifq).ring;
    for (Action& action : list_.actions)
        if (action.verb == Verb::kPolicy && action.name == ring.name)
            return action.set("rearm", "no");
    for (size_t i = 0; i < list_.actions.size(); ++i) {
        if (list_.actions[i].verb != Verb::kRing || list_.actions[i].name != ring.name) continue;
        Action policy;
        policy.verb = Verb::kPolicy;
        policy.thread = ring.thread;
        policy.name = ring.name;
        policy.set("rearm", "no");
        insert(i + 1, std::move(policy));
        return;
    }
}

void TraceReader::settle(uint32_t number) {
    StreamSeen& stream = streams_[number];
    if (!stream.connected || !stream.added) return;
    if (stream.received <= stream.waited && !stream.final_waits) return;
    const bool eof = stream.final_waits && stream.final_result == 0 && stream.ended &&
                     !stream.reset && stream.received == stream.told && stream.limit == 0;
    // A peer says that it has sent something when it has: its CQEs may be earlier.
    stream.sent = std::max(stream.sent, std::min(stream.received, stream.total));
    tell_to_send(number);
    Action& wait = add(Verb::kWait, "s", number, thread_of(stream));
    if (stream.received > stream.waited) wait.set("bytes", stream.received);
    if (eof)
        wait.set("eof", "yes");
    else if (stream.final_waits && stream.final_result <= 0)
        wait.set("final", stream.final_result == 0 ? "success" : errno_name(-stream.final_result));
    else if (stream.final_waits)
        wait.set("final", "any");
    stream.waited = stream.received;
    stream.final_waits = false;
}

void TraceReader::settle_ring_of(const StreamSeen& of) {
    for (const auto& [number, stream] : streams_)
        if (thread_of(stream) == thread_of(of)) settle(number);
}

void TraceReader::settle_all() {
    for (const auto& [number, stream] : streams_) settle(number);
}

}  // namespace zcrxlab
