// TraceReader: reads a trace event by event, and adds the lines that a list has for it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"
#include "lists/from_trace/returns_seen.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

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
    uint32_t ifq = 0;   // through which it is received; 0: none, ever
    std::string route;  // as "connect" has it; empty: to the queue
    bool connected = false, added = false, armed = false, ended = false;
    uint64_t total = 0;     // in the whole trace, by the peer
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

class TraceReader {
  public:
    explicit TraceReader(const std::vector<Event>& events) : events_(events) {}

    // The list, with what it cannot say as comments. EINVAL if there is nothing in it, or too much.
    Result<ActionList> read();

  private:
    static std::string named(const char* kind, uint64_t number) {
        return kind + std::to_string(number);
    }

    // What has to be known before: through which ifq a stream comes, and how buffers go back.
    void survey();
    // How a connection came, which only who made it knows.
    void survey_route(const ActionDone& event);

    // One event each; of most kinds nothing is told.
    template <typename Other>
    void take(const Other&) {}
    void take(const Note& event);
    void take(const IfqRegistered& event);
    void take(const AreaRegistered& event);
    void take(const BufferReturned& event);
    void take(const CapacityMeasured& event);
    void take(const FaultInjected& event);
    void take(const ActionDone& event);
    void take(const RingClosed& event);
    void take(const ConnectionOpened& event);
    void take(const PeerSent& event);
    void take(const PeerClosed& event);
    void take(const RequestSubmitted& event);
    void take(const CqeSeen& event);
    // Where the trace gives buffers back beyond the policy.
    void return_buffers();

    // A new line. What a peer was told to send in the line before is then complete.
    Action& add(Verb verb, const std::string& name, const std::string& thread);
    Action& add(Verb verb, const char* kind, uint32_t number, const std::string& thread);
    // Lines that are known by their number move on.
    void insert(size_t line, Action action);
    // The first ring's thread is the one without a name.
    std::string thread_now();

    void connect(uint32_t number);
    // What the peer has sent and the list has not told it to.
    void tell_to_send(uint32_t number);
    void finish_send(StreamSeen& stream);
    void end(uint32_t number);
    std::string thread_of(const StreamSeen& stream) const;
    // Whether a request that ended without a buffer or a slot is armed again.
    bool is_armed_again(uint32_t stream) const;
    void dont_arm_again(const StreamSeen& stream);
    // Waits for what was received until here.
    void settle(uint32_t number);
    void settle_ring_of(const StreamSeen& of);
    void settle_all();

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

}  // namespace zcrxlab
