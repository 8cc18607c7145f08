// FromTrace: event after event.
#include "vm/repro/from_trace.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/trace/trace.hpp"

namespace zcrxlab {

namespace {

using Json = nlohmann::json;

struct StreamSeen {
    uint64_t sent = 0;      // asked of the peer by the list
    uint64_t received = 0;  // by CQEs
    uint64_t waited = 0;    // by the list
    bool connected = false;
    bool armed = false;
    bool reset = false, ended = false;
};

// Beyond what a socket surely holds, a list does not wait for data that nobody reads.
constexpr uint64_t kMostQueued = 3U << 20;

class Reader {
  public:
    Result<ActionList> read(const std::vector<Event>& events) {
        for (const Event& event : events)
            std::visit([this](const auto& body) { take(body); }, event.body);
        for (auto& [number, stream] : streams_) settle(number, stream);
        if (ifqs_.empty())
            return Error{EINVAL,
                         "Nothing was registered in this trace, so there is nothing to do "
                         "again."};
        list_.comments = {"made from a trace"};
        if (auto names = check_names(list_); !names) return names.error();
        return std::move(list_);
    }

  private:
    static std::string named(const char* kind, uint64_t number) {
        return kind + std::to_string(number);
    }

    Action& add(Verb verb, const std::string& name) {
        Action action;
        action.verb = verb;
        action.name = name;
        list_.actions.push_back(std::move(action));
        return list_.actions.back();
    }

    template <typename Other>
    void take(const Other&) {}

    void take(const IfqRegistered& event) {
        Action& ring = add(Verb::kRing, named("r", event.ifq));
        if (event.mixed) ring.set("cqes", "mixed");
        Action& ifq = add(Verb::kRegister, named("q", event.ifq));
        ifq.set("ring", named("r", event.ifq));
        if (!event.interface.empty()) {
            ifq.set("device", "yes");
            ifq.set("queue", event.queue);
        }
        ifq.set("rq", event.rq_entries);
        if (event.buffer_size > 4096) ifq.set("rx_buf_len", event.buffer_size);
        ifqs_[event.ifq] = list_.actions.size() - 1;
    }

    void take(const AreaRegistered& event) {
        const auto ifq = ifqs_.find(event.ifq);
        if (ifq == ifqs_.end()) return;
        Action& action = event.area == 0 ? list_.actions[ifq->second]
                                         : add(Verb::kAddArea, named("q", event.ifq));
        action.set("area", event.length);
        if (event.length <= 256U << 20) return;
        action.set("memory", "repeated");
        action.set("repeat", 2U << 20);
    }

    void take(const ConnectionOpened& event) { families_[event.stream] = event.family; }

    // The list can connect a stream once it is known through which ifq it is received.
    void connect(uint32_t number, uint32_t ifq) {
        StreamSeen& stream = streams_[number];
        if (stream.connected || !ifqs_.contains(ifq)) return;
        Action& made = add(Verb::kConnect, named("s", number));
        made.set("ifq", named("q", ifq));
        if (families_[number] == 6) made.set("family", 6);
        stream.connected = true;
        // What the peer sent before anything was armed lay in the socket then.
        if (earlier_.contains(number)) {
            send_up_to(number, earlier_[number]);
            if (stream.sent > 0 && stream.sent <= kMostQueued)
                add(Verb::kWait, named("s", number)).set("queued", stream.sent);
        }
        if (ended_earlier_.contains(number)) end(number, ended_earlier_[number]);
    }

    void send_up_to(uint32_t number, uint64_t total) {
        StreamSeen& stream = streams_[number];
        if (total <= stream.sent) return;
        Action* last = list_.actions.empty() ? nullptr : &list_.actions.back();
        // Writes one behind the other are one send.
        if (last != nullptr && last->verb == Verb::kSend && last->name == named("s", number))
            last->set("bytes", last->number("bytes") + total - stream.sent);
        else
            add(Verb::kSend, named("s", number)).set("bytes", total - stream.sent);
        stream.sent = total;
    }

    void take(const PeerSent& event) {
        if (streams_[event.stream].connected)
            send_up_to(event.stream, event.total);
        else
            earlier_[event.stream] = event.total;
    }

    void end(uint32_t number, bool reset) {
        StreamSeen& stream = streams_[number];
        if (stream.ended) return;
        Action& ended = add(Verb::kEnd, named("s", number));
        if (reset) ended.set("how", "reset");
        stream.ended = true;
        stream.reset = reset;
    }

    void take(const PeerClosed& event) {
        if (streams_[event.stream].connected)
            end(event.stream, event.reset);
        else
            ended_earlier_[event.stream] = event.reset;
    }

    void take(const RequestSubmitted& event) {
        connect(event.stream, event.ifq);
        StreamSeen& stream = streams_[event.stream];
        if (!stream.connected || stream.armed) return;
        settle(event.stream, stream);
        Action& armed = add(Verb::kArm, named("s", event.stream));
        if (event.limit != 0) armed.set("limit", event.limit);
        stream.armed = true;
    }

    void take(const CqeSeen& event) {
        StreamSeen& stream = streams_[event.stream];
        if (event.result > 0) stream.received += static_cast<uint64_t>(event.result);
        // The loop arms again by itself behind these.
        const bool more = (event.flags & 2U) != 0;
        if (!more && event.result != -ENOSPC && event.result != -ENOMEM) stream.armed = false;
    }

    // Waits for what was received until here.
    void settle(uint32_t number, StreamSeen& stream) {
        if (!stream.connected || stream.received <= stream.waited) return;
        stream.waited = stream.received;
        add(Verb::kWait, named("s", number)).set("bytes", stream.received);
    }

    void take(const FaultInjected& event) {
        Action& fault = add(Verb::kFault, "");
        fault.text = event.rule;
    }

    void take(const RingClosed& event) {
        const auto ifq = ifqs_.find(event.ifq);
        if (ifq == ifqs_.end() || !closed_.insert(event.ifq).second) return;
        const std::string name = named("q", event.ifq);
        for (auto& entry : streams_) {
            const uint32_t number = entry.first;
            auto& stream = entry.second;
            const bool its = std::ranges::any_of(list_.actions, [&](const Action& action) {
                return action.verb == Verb::kConnect && action.name == named("s", number) &&
                       action.word("ifq") == name;
            });
            if (its) settle(number, stream);
            if (its) stream.connected = false;
        }
        add(Verb::kClose, named("r", event.ifq));
    }

    ActionList list_;
    std::map<uint32_t, size_t> ifqs_;  // number -> index of its registration
    std::set<uint32_t> closed_;
    std::map<uint32_t, StreamSeen> streams_;
    std::map<uint32_t, uint8_t> families_;
    std::map<uint32_t, uint64_t> earlier_;    // sent before the list could connect
    std::map<uint32_t, bool> ended_earlier_;  // and how it ended
};

}  // namespace

Result<ActionList> list_from_trace(const std::vector<Event>& events) {
    return Reader().read(events);
}

Result<std::vector<Event>> events_of_test(const std::string& jsonl, const std::string& test) {
    std::vector<Event> events;
    std::set<std::string> tests;
    std::istringstream lines(jsonl);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty()) continue;
        const Json json = Json::parse(line, nullptr, false);
        if (!json.is_object())
            return Error{EINVAL, "Line " + std::to_string(number) + " of the trace is no event."};
        const auto found = json.find("test");
        const std::string of =
            found != json.end() && found->is_string() ? found->get<std::string>() : "";
        tests.insert(of);
        if (!test.empty() && of != test) continue;
        Result<Event> event = event_from_json(line);
        if (!event)
            return Error{EINVAL, "Line " + std::to_string(number) +
                                     " of the trace: " + event.error().sentence};
        events.push_back(*std::move(event));
    }
    if (!events.empty() && (!test.empty() || tests.size() == 1)) return events;
    std::string names;
    for (const std::string& name : tests) names += (names.empty() ? "" : ", ") + name;
    return Error{EINVAL, "The trace has these tests, one of which --test has to name: " + names};
}

}  // namespace zcrxlab
