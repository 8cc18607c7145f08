// FromTrace: event after event.
#include "vm/repro/from_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "harness/base/errno_name.hpp"
#include "harness/trace/trace.hpp"
#include "vm/repro/returns_seen.hpp"
#include "vm/repro/sends_seen.hpp"

namespace zcrxlab {

namespace {

// Beyond what a socket surely holds, a list does not wait for data that nobody reads.
constexpr uint64_t kMostQueued = 3U << 20;
constexpr uint64_t kMostMemory = 256U << 20;
constexpr std::string_view kLeftOut = " events left out.";
// The defaults of harness/actions/form.cpp.
constexpr uint64_t kUsualSq = 64, kUsualCq = 1024;

struct RingSeen {
    std::string name;
    std::string thread;
    std::set<uint32_t> ifqs;
};

struct IfqSeen {
    std::shared_ptr<RingSeen> ring;
    size_t line = 0;  // of its registration
    ReturnsSeen returns;
    bool closed = false;
    bool copies = false;  // some of its payload is copied
};

struct StreamSeen {
    const ConnectionOpened* opened = nullptr;
    uint32_t ifq = 0;  // through which it is received; 0: none, ever
    bool connected = false, added = false, armed = false, ended = false;
    uint64_t sent = 0;      // in the trace
    uint64_t told = 0;      // by the list
    uint64_t received = 0;  // by CQEs
    uint64_t waited = 0;    // by the list
    uint32_t limit = 0;
    uint64_t of_request = 0;
    int32_t final_result = 0;
    bool final_waits = false;  // for the list to wait for it
    bool reset = false;
    std::optional<size_t> send;         // the line that goes on
    std::vector<uint64_t> writes = {};  // of that line
};

class Reader {
  public:
    explicit Reader(const std::vector<Event>& events) : events_(events) {}

    Result<ActionList> read() {
        survey();
        for (at_ = 0; at_ < events_.size(); ++at_) {
            std::visit([this](const auto& body) { take(body); }, events_[at_].body);
            return_buffers();
        }
        settle_all();
        for (auto& [number, stream] : streams_) finish_send(stream);
        if (list_.actions.empty())
            return Error{EINVAL,
                         "Nothing that a list could have was done in this trace: no ring, no "
                         "registration."};
        list_.comments = {"made from a trace"};
        for (const std::string& what : missing_)
            list_.comments.push_back(std::string(kNotInHere) + what);
        if (list_.actions.size() > kMostActions)
            return Error{EINVAL, "The list would have " + std::to_string(list_.actions.size()) +
                                     " actions, more than " + std::to_string(kMostActions) + "."};
        if (auto names = check_names(list_); !names) return names.error();
        return std::move(list_);
    }

  private:
    static std::string named(const char* kind, uint64_t number) {
        return kind + std::to_string(number);
    }

    // What has to be known before: through which ifq a stream comes, and how buffers go back.
    void survey() {
        std::set<uint32_t> ifqs;
        bool measured = false;
        for (const Event& event : events_) {
            if (const auto* ifq = std::get_if<IfqRegistered>(&event.body)) ifqs.insert(ifq->ifq);
            if (const auto* opened = std::get_if<ConnectionOpened>(&event.body))
                streams_[opened->stream].opened = opened;
            if (const auto* request = std::get_if<RequestSubmitted>(&event.body)) {
                StreamSeen& stream = streams_[request->stream];
                if (stream.ifq == 0) stream.ifq = request->ifq;
            }
            if (const auto* copies = std::get_if<CopiesExpected>(&event.body))
                ifqs_[copies->ifq].copies = true;
            if (const auto* ifq = std::get_if<IfqRegistered>(&event.body);
                ifq != nullptr && !ifq->zero_copy_expected && !ifq->interface.empty())
                ifqs_[ifq->ifq].copies = true;
            measured = measured || std::holds_alternative<CapacityMeasured>(event.body);
            const auto* finished = std::get_if<StreamFinished>(&event.body);
            // Counting the buffers has a stream of its own.
            if (measured && finished != nullptr && !finished->complete) {
                of_capacity_.insert(finished->stream);
                measured = false;
            }
        }
        for (const uint32_t ifq : ifqs)
            ifqs_[ifq].returns = returns_seen(events_, ifq, of_capacity_);
    }

    // Whether a request that ended without a buffer or a slot is armed again.
    bool is_armed_again(uint32_t stream) const {
        for (size_t i = at_ + 1; i < events_.size(); ++i)
            if (const auto* request = std::get_if<RequestSubmitted>(&events_[i].body);
                request != nullptr && request->stream == stream)
                return true;
        return false;
    }

    Action& add(Verb verb, const std::string& name, const std::string& thread) {
        if (!thread.empty() && !threads_.contains(thread)) {
            threads_.insert(thread);
            list_.actions.push_back({.verb = Verb::kThread, .name = thread});
        }
        Action action;
        action.verb = verb;
        action.thread = thread;
        action.name = name;
        if (verb != Verb::kSend && verb != Verb::kConnect)
            for (auto& entry : streams_) finish_send(entry.second);
        list_.actions.push_back(std::move(action));
        return list_.actions.back();
    }
    Action& add(Verb verb, const char* kind, uint32_t number, const std::string& thread) {
        return add(verb, named(kind, number), thread);
    }

    std::string thread_of(const StreamSeen& stream) const {
        const auto ifq = ifqs_.find(stream.ifq);
        return ifq != ifqs_.end() && ifq->second.ring ? ifq->second.ring->thread : "";
    }

    template <typename Other>
    void take(const Other&) {}

    void take(const Note& event) {
        if (event.text.ends_with(kLeftOut)) missing_.insert(event.text);
    }

    // The first ring's thread is the one without a name.
    std::string thread_now() {
        const uint32_t thread = events_[at_].thread;
        if (!first_thread_) first_thread_ = thread;
        return thread == *first_thread_ ? "" : named("t", thread);
    }

    void take(const IfqRegistered& event) {
        IfqSeen& ifq = ifqs_[event.ifq];
        std::shared_ptr<RingSeen>& ring = event.ring != 0 ? rings_[event.ring] : ifq.ring;
        if (!ring) {
            ring = std::make_shared<RingSeen>();
            ring->name = named("r", event.ifq);
            ring->thread = thread_now();
            settle_all();
            Action& made = add(Verb::kRing, ring->name, ring->thread);
            if (event.sq_entries != 0 && event.sq_entries != kUsualSq)
                made.set("sq", event.sq_entries);
            if (event.cq_entries != 0 && event.cq_entries != kUsualCq)
                made.set("cq", event.cq_entries);
            if (event.mixed) made.set("cqes", "mixed");
        }
        ring->ifqs.insert(event.ifq);
        ifq.ring = ring;
        ifq.closed = false;
        Action& made = add(Verb::kRegister, "q", event.ifq, ring->thread);
        made.set("ring", ring->name);
        if (!event.interface.empty()) {
            made.set("device", "yes");
            made.set("queue", event.queue);
        }
        made.set("rq", event.rq_entries);
        if (event.rq_of_kernel) made.set("rq_memory", "kernel");
        if (event.buffer_size > 4096) made.set("rx_buf_len", event.buffer_size);
        if (event.events != 0)
            made.set("events", event.events == 1   ? "alloc_fail"
                               : event.events == 2 ? "copy"
                                                   : "all");
        if (event.statistics) made.set("stats", "yes");
        if (ifq.copies) made.set("copies", "yes");
        ifq.line = list_.actions.size() - 1;
        const ReturnsSeen& returns = ifq.returns;
        if (returns.unexplained > 0) missing_.insert("the order in which buffers went back");
        // One loop receives for all ifqs of a ring.
        if (returns.policy == "at_once" || ring->ifqs.size() > 1) return;
        Action& policy = add(Verb::kPolicy, ring->name, ring->thread);
        policy.set("returns", returns.policy);
        if (returns.hold != 0) policy.set("hold", returns.hold);
    }

    void take(const AreaRegistered& event) {
        const auto ifq = ifqs_.find(event.ifq);
        if (ifq == ifqs_.end() || !ifq->second.ring) return;
        Action& action = event.area == 0
                             ? list_.actions[ifq->second.line]
                             : add(Verb::kAddArea, "q", event.ifq, ifq->second.ring->thread);
        action.set("area", event.length);
        if (event.memory == "dmabuf") {
            missing_.insert("that area " + std::to_string(event.area) + " is a dmabuf");
        } else if (event.memory == "repeated" || event.length > kMostMemory) {
            action.set("memory", "repeated");
            action.set("repeat", 2U << 20);
        } else if (event.memory != "anonymous") {
            action.set("memory", event.memory);
        }
    }

    void take(const ConnectionOpened& event) {
        StreamSeen& stream = streams_[event.stream];
        if (of_capacity_.contains(event.stream)) return;
        // One that is never armed may be any open ifq's.
        if (stream.ifq == 0)
            for (const auto& [number, ifq] : ifqs_)
                if (ifq.ring && !ifq.closed) stream.ifq = number;
        connect(event.stream);
    }

    void connect(uint32_t number) {
        StreamSeen& stream = streams_[number];
        const auto ifq = ifqs_.find(stream.ifq);
        if (stream.connected || stream.opened == nullptr || ifq == ifqs_.end() ||
            !ifq->second.ring || ifq->second.closed)
            return;
        Action& made = add(Verb::kConnect, "s", number, ifq->second.ring->thread);
        made.set("ifq", named("q", stream.ifq));
        if (stream.opened->family == 6) made.set("family", 6);
        if (stream.opened->mss != 0) made.set("mss", stream.opened->mss);
        if (stream.opened->receive_buffer != 0)
            made.set("receive_buffer", stream.opened->receive_buffer);
        if (stream.opened->send_buffer != 0) made.set("send_buffer", stream.opened->send_buffer);
        stream.connected = true;
        tell_to_send(number);
        if (stream.ended) end(number);
    }

    // What the peer has sent and the list has not told it to.
    void tell_to_send(uint32_t number) {
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

    void finish_send(StreamSeen& stream) {
        if (!stream.send) return;
        const Cut cut = cut_of(stream.writes);
        if (!cut.exact) missing_.insert("the sizes of all writes, after the first 64");
        if (cut.bytes != std::vector<uint64_t>{65536})
            list_.actions[*stream.send].set("cut", cut.bytes);
        stream.send.reset();
    }

    void take(const PeerSent& event) {
        if (of_capacity_.contains(event.stream)) return;
        StreamSeen& stream = streams_[event.stream];
        stream.sent = std::max(stream.sent, event.total);
        tell_to_send(event.stream);
    }

    void end(uint32_t number) {
        const StreamSeen& stream = streams_[number];
        Action& ended = add(Verb::kEnd, "s", number, thread_of(stream));
        if (stream.reset) ended.set("how", "reset");
    }

    void take(const PeerClosed& event) {
        StreamSeen& stream = streams_[event.stream];
        if (stream.ended || of_capacity_.contains(event.stream)) return;
        stream.ended = true;
        stream.reset = event.reset;
        // Behind a reset nothing more can be received: what was has to be before.
        if (event.reset) settle(event.stream);
        if (stream.connected) end(event.stream);
    }

    void take(const RequestSubmitted& event) {
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

    void take(const CqeSeen& event) {
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

    void dont_arm_again(const StreamSeen& stream) {
        const RingSeen& ring = *ifqs_.at(stream.ifq).ring;
        for (Action& action : list_.actions)
            if (action.verb == Verb::kPolicy && action.name == ring.name)
                return action.set("rearm", "no");
        for (size_t i = 0; i < list_.actions.size(); ++i) {
            if (list_.actions[i].verb != Verb::kRing || list_.actions[i].name != ring.name)
                continue;
            Action policy;
            policy.verb = Verb::kPolicy;
            policy.thread = ring.thread;
            policy.name = ring.name;
            policy.set("rearm", "no");
            insert(i + 1, std::move(policy));
            return;
        }
    }

    // Lines that are known by their number move on.
    void insert(size_t line, Action action) {
        list_.actions.insert(list_.actions.begin() + static_cast<std::ptrdiff_t>(line),
                             std::move(action));
        for (auto& [number, ifq] : ifqs_)
            if (ifq.line >= line) ++ifq.line;
        for (auto& [number, stream] : streams_)
            if (stream.send && *stream.send >= line) ++*stream.send;
    }

    // Waits for what was received until here.
    void settle(uint32_t number) {
        StreamSeen& stream = streams_[number];
        if (!stream.connected || !stream.added) return;
        if (stream.received <= stream.waited && !stream.final_waits) return;
        const bool eof = stream.final_waits && stream.final_result == 0 && stream.ended &&
                         !stream.reset && stream.received == stream.told && stream.limit == 0;
        Action& wait = add(Verb::kWait, "s", number, thread_of(stream));
        if (stream.received > stream.waited) wait.set("bytes", stream.received);
        if (eof)
            wait.set("eof", "yes");
        else if (stream.final_waits && stream.final_result <= 0)
            wait.set("final",
                     stream.final_result == 0 ? "success" : errno_name(-stream.final_result));
        else if (stream.final_waits)
            wait.set("final", "any");
        stream.waited = stream.received;
        stream.final_waits = false;
    }
    void settle_ring_of(const StreamSeen& of) {
        for (const auto& [number, stream] : streams_)
            if (thread_of(stream) == thread_of(of)) settle(number);
    }
    void settle_all() {
        for (const auto& [number, stream] : streams_) settle(number);
    }

    // Where the trace gives buffers back beyond the policy.
    void return_buffers() {
        for (const auto& [number, ifq] : ifqs_) {
            const auto run = ifq.returns.runs.find(at_);
            if (run == ifq.returns.runs.end() || !ifq.ring || ifq.closed) continue;
            settle_all();
            Action& back = add(Verb::kReturn, "q", number, ifq.ring->thread);
            if (!run->second.all) back.set("count", run->second.count);
            if (run->second.newest) back.set("order", "newest");
        }
    }

    void take(const BufferReturned& event) {
        const auto ifq = ifqs_.find(event.ifq);
        if (!event.on_purpose || ifq == ifqs_.end() || !ifq->second.ring) return;
        settle_all();
        const uint64_t area = event.offset >> 48;
        const uint64_t inside = event.offset & ((uint64_t{1} << 48) - 1);
        const uint64_t size = list_.actions[ifq->second.line].number("area");
        const char* as = area != 0 ? "bad_area" : inside >= size ? "bad_index" : "";
        if (*as == 0) {
            missing_.insert("entries of the refill ring that name buffers which are not held");
            return;
        }
        Action* last = list_.actions.empty() ? nullptr : &list_.actions.back();
        if (last != nullptr && last->verb == Verb::kReturn && last->word("as") == as) {
            last->set("count", last->number("count") + 1);
            return;
        }
        Action& back = add(Verb::kReturn, "q", event.ifq, ifq->second.ring->thread);
        back.set("count", 1);
        back.set("as", as);
    }

    void take(const CapacityMeasured& event) {
        const auto ifq = ifqs_.find(event.ifq);
        if (ifq == ifqs_.end() || !ifq->second.ring || ifq->second.closed) return;
        settle_all();
        add(Verb::kCapacity, "q", event.ifq, ifq->second.ring->thread);
    }

    void take(const FaultInjected& event) {
        settle_all();
        add(Verb::kFault, "", "").text = event.rule;
    }

    void take(const ActionDone& event) {
        if (event.action.starts_with('#')) {
            missing_.insert(event.action.substr(std::min<size_t>(2, event.action.size())));
            return;
        }
        Result<Action> action = action_from_text(event.action);
        if (!action) {
            missing_.insert("\"" + event.action + "\", which is no action");
            return;
        }
        settle_all();
        // Only what has been told can be armed again.
        if (action->verb == Verb::kEvents && action->expected() == 0)
            add(Verb::kAwait, action->name, first_thread_ ? thread_now() : "")
                .set("event", action->word("arm"));
        const std::string thread = first_thread_ ? thread_now() : "";
        const bool known = thread.empty() || threads_.contains(thread);
        Action& line = add(action->verb, action->name, known ? thread : "");
        const std::string of = line.thread;
        line = *std::move(action);
        line.thread = of;
    }

    void take(const RingClosed& event) {
        const auto found = ifqs_.find(event.ifq);
        if (found == ifqs_.end() || !found->second.ring || found->second.closed) return;
        const std::shared_ptr<RingSeen> ring = found->second.ring;
        for (const uint32_t number : ring->ifqs)
            for (auto& [stream_number, stream] : streams_)
                if (stream.ifq == number) settle(stream_number);
        for (const uint32_t number : ring->ifqs) {
            ifqs_[number].closed = true;
            for (auto& [stream_number, stream] : streams_)
                if (stream.ifq == number) stream.connected = false;
        }
        add(Verb::kClose, ring->name, ring->thread);
        for (auto it = rings_.begin(); it != rings_.end();)
            it = it->second == ring ? rings_.erase(it) : std::next(it);
    }

    const std::vector<Event>& events_;
    size_t at_ = 0;
    ActionList list_;
    std::set<std::string> missing_;  // for people, as comments
    std::set<std::string> threads_;
    std::optional<uint32_t> first_thread_;
    std::map<uint32_t, std::shared_ptr<RingSeen>> rings_;  // open ones, by descriptor
    std::map<uint32_t, IfqSeen> ifqs_;
    std::map<uint32_t, StreamSeen> streams_;
    std::set<uint32_t> of_capacity_;
};

}  // namespace

Result<ActionList> list_from_trace(const std::vector<Event>& events) {
    // A list says itself what was done.
    std::string lines;
    for (const Event& event : events)
        if (const auto* done = std::get_if<ActionDone>(&event.body);
            done != nullptr && done->of_list)
            lines += done->action + "\n";
    if (lines.empty()) return Reader(events).read();
    Result<ActionList> list = actions_from_text(lines);
    if (list) list->comments = {"made from a trace"};
    return list;
}

}  // namespace zcrxlab
