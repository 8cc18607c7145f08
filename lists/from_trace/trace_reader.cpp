// TraceReader: reads rings, registrations, buffers, and what was done to the NIC.
#include "lists/from_trace/trace_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "harness/base/errno_name.hpp"
#include "harness/trace/trace.hpp"
#include "lists/from_trace/from_trace.hpp"
#include "lists/verbs/row/row.hpp"

namespace zcrxlab {

namespace {

constexpr uint64_t kMostMemory = 256U << 20;
constexpr std::string_view kLeftOut = " events left out.";

}  // namespace

Result<ActionList> TraceReader::read() {
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

void TraceReader::take(const Note& event) {
    if (event.text.ends_with(kLeftOut)) missing_.insert(event.text);
}

void TraceReader::survey() {
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
        if (const auto* sent = std::get_if<PeerSent>(&event.body))
            streams_[sent->stream].total = std::max(streams_[sent->stream].total, sent->total);
        if (const auto* done = std::get_if<ActionDone>(&event.body)) survey_route(*done);
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
    for (const uint32_t ifq : ifqs) ifqs_[ifq].returns = returns_seen(events_, ifq, of_capacity_);
}

void TraceReader::survey_route(const ActionDone& event) {
    if (!event.action.starts_with("connect s")) return;
    const Result<Action> action = action_from_text(event.action);
    uint32_t stream = 0;
    if (!action) return;
    const char* end = action->name.data() + action->name.size();
    if (std::from_chars(action->name.data() + 1, end, stream).ptr == end)
        streams_[stream].route = action->word("route");
}

Action& TraceReader::add(Verb verb, const std::string& name, const std::string& thread) {
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

Action& TraceReader::add(Verb verb, const char* kind, uint32_t number, const std::string& thread) {
    return add(verb, named(kind, number), thread);
}

std::string TraceReader::thread_now() {
    const uint32_t thread = events_[at_].thread;
    if (!first_thread_) first_thread_ = thread;
    return thread == *first_thread_ ? "" : named("t", thread);
}

void TraceReader::take(const IfqRegistered& event) {
    IfqSeen& ifq = ifqs_[event.ifq];
    std::shared_ptr<RingSeen>& ring = event.ring != 0 ? rings_[event.ring] : ifq.ring;
    if (!ring) {
        ring = std::make_shared<RingSeen>();
        ring->name = named("r", event.ifq);
        ring->thread = thread_now();
        settle_all();
        Action& made = add(Verb::kRing, ring->name, ring->thread);
        // As the defaults are, so nothing is said.
        if (event.sq_entries != 0 && event.sq_entries != made.number("sq"))
            made.set("sq", event.sq_entries);
        if (event.cq_entries != 0 && event.cq_entries != made.number("cq"))
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
        made.set("events", event.events == 1 ? "alloc_fail" : event.events == 2 ? "copy" : "all");
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

void TraceReader::take(const AreaRegistered& event) {
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

void TraceReader::insert(size_t line, Action action) {
    list_.actions.insert(list_.actions.begin() + static_cast<std::ptrdiff_t>(line),
                         std::move(action));
    for (auto& [number, ifq] : ifqs_)
        if (ifq.line >= line) ++ifq.line;
    for (auto& [number, stream] : streams_)
        if (stream.send && *stream.send >= line) ++*stream.send;
}

void TraceReader::return_buffers() {
    for (const auto& [number, ifq] : ifqs_) {
        const auto run = ifq.returns.runs.find(at_);
        if (run == ifq.returns.runs.end() || !ifq.ring || ifq.closed) continue;
        settle_all();
        Action& back = add(Verb::kReturn, "q", number, ifq.ring->thread);
        if (!run->second.all) back.set("count", run->second.count);
        if (run->second.newest) back.set("order", "newest");
    }
}

void TraceReader::take(const BufferReturned& event) {
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

void TraceReader::take(const CapacityMeasured& event) {
    const auto ifq = ifqs_.find(event.ifq);
    if (ifq == ifqs_.end() || !ifq->second.ring || ifq->second.closed) return;
    settle_all();
    add(Verb::kCapacity, "q", event.ifq, ifq->second.ring->thread);
}

void TraceReader::take(const FaultInjected& event) {
    settle_all();
    add(Verb::kFault, "", "").text = event.rule;
}

void TraceReader::take(const ActionDone& event) {
    if (event.action.starts_with('#')) {
        missing_.insert(event.action.substr(std::min<size_t>(2, event.action.size())));
        return;
    }
    Result<Action> action = action_from_text(event.action);
    if (!action) {
        missing_.insert("\"" + event.action + "\", which is no action");
        return;
    }
    // The connection itself is an event.
    if (action->verb == Verb::kConnect) return;
    const Column<FromTrace>& from_trace = row_of(action->verb).from_trace;
    if (from_trace.how() == nullptr || !from_trace.how()->noted) {
        missing_.insert("\"" + event.action + "\": " +
                        (from_trace.how() != nullptr ? "other events say that it was done"
                                                     : std::string(from_trace.why_not())));
        return;
    }
    settle_all();
    if (action->verb == Verb::kClose)
        for (auto& [number, ifq] : ifqs_)
            if (ifq.ring && ifq.ring->name == action->name) ifq.closed = true;
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

void TraceReader::take(const RingClosed& event) {
    if (event.ifq_lives_on) return;
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

}  // namespace zcrxlab
