// Receiver: the receive loop of the scenarios. It arms RECV_ZC, checks every byte, gives buffers
// back as its policy says, and writes all of it into a trace.
//
// It judges nothing: a wrong byte is an event. An Error from it means that the loop itself could
// not go on. One thread, the one that made the ring.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/ring/capacity.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/pattern.hpp"
#include "harness/ring/ring.hpp"
#include "harness/ring/stall_watch.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {

enum class ReturnPolicy {
    kAtOnce,   // as soon as it was checked
    kHold,     // keep the newest `hold`, give the oldest back
    kReverse,  // collect `hold`, then give them back newest first
    kNever,    // keep everything until return_held()
};

struct ReceiverOptions {
    ReturnPolicy returns = ReturnPolicy::kAtOnce;
    uint32_t hold = 0;  // CQEs, all streams of an ifq together
    // sqe->len of each request, 0 = none. Where it is reached a new request goes on.
    uint32_t limit = 0;
    // Arm again after a final CQE of -ENOSPC or -ENOMEM (buffers are given back first) or a limit.
    bool rearm = true;
    bool poll_first = false;    // IORING_RECVSEND_POLL_FIRST: each request waits before it reads
    bool compare = true;        // check the payload
    bool compare_again = true;  // check held payload again before it goes back (I3)
    bool record = true;         // write events; off for benchmarks
    bool small_cq = false;      // the CQ is too small on purpose: it may overflow
    // Changes each request before it is submitted: what must make no difference.
    std::function<void(io_uring_sqe&)> change = {};
    // run() ends when data has waited in a socket for so long although its request is armed
    // (StallWatch). Nothing: it goes on until its time is up.
    std::optional<std::chrono::milliseconds> stall_moment;
};

// How far a stream has come.
struct StreamState {
    uint32_t stream = 0;
    int socket = -1;           // that it is received from; not owned, may be closed; -1: it is
    uint64_t bytes = 0;        // received; the position of the next byte
    bool armed = false;        // a request is with the kernel
    bool ended = false;        // EOF, an error, or a final CQE that is not to be armed again
    int32_t final_result = 0;  // of the last final CQE: 0, -ENOMEM, -ECONNRESET ...
    uint64_t requests = 0;
    uint64_t data_cqes = 0;
    uint64_t final_cqes = 0;
    uint64_t no_slots = 0;    // final CQEs of -ENOSPC
    uint64_t no_buffers = 0;  // final CQEs of -ENOMEM
    uint64_t mismatches = 0;  // CQEs with a wrong byte
    std::optional<Mismatch> first_mismatch;
};

enum class RunEnd {
    kSatisfied,  // the condition held
    kAllEnded,   // every stream has ended
    kTimedOut,
    kStalled,  // a stream has: the kernel does not complete a request that could go on
};

// Whether run() ended with nothing reached.
constexpr bool gave_up(RunEnd end) {
    return end == RunEnd::kTimedOut || end == RunEnd::kStalled;
}

class Receiver {
  public:
    // user_data of cancels, whose own CQEs go into the trace and to nobody else.
    static constexpr uint64_t kCancelData = UINT64_MAX;

    Receiver(Ring& ring, Trace& trace, const ReceiverOptions& options = {});
    // Records what the ring says of its CQ (CqRead).
    ~Receiver();
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    // Receives from `socket` (borrowed, until the stream has ended) through `ifq` (borrowed, until
    // the receiver goes), and arms the first request. `stream` is unique in the trace; `position`
    // is that of the next byte; `zcrx_id` is the instance's in this ring, where it was imported.
    Result<void> add(uint32_t stream, int socket, Ifq& ifq, uint64_t seed, uint64_t position = 0,
                     std::optional<uint32_t> zcrx_id = {});

    // Runs until `condition` holds (asked after every batch of CQEs), every stream has ended, one
    // has stalled (`stall_moment`), or the time is up.
    Result<RunEnd> run(std::chrono::milliseconds timeout,
                       const std::function<bool()>& condition = {});
    // Runs until the stream has received `bytes` in all.
    Result<RunEnd> run_until_bytes(uint32_t stream, uint64_t bytes,
                                   std::chrono::milliseconds timeout);

    const StreamState& state(uint32_t stream) const;
    std::vector<StreamState> states() const;
    uint64_t total_bytes() const { return total_bytes_; }

    ReceiverOptions& options() { return options_; }
    // Buffers held now, as CQEs.
    size_t held() const;
    // Gives everything back that is held, oldest first (newest first with kReverse).
    Result<void> return_held();
    // Gives back so many CQEs' buffers of one ifq, oldest or newest first, as far as the refill
    // ring has room; their CQE offsets.
    Result<std::vector<uint64_t>> return_some(Ifq& ifq, size_t count, bool newest_first);
    // Lets the kernel take entries of the refill ring now, where it can be asked to.
    Result<void> flush(Ifq& ifq);
    // Arms a stream whose request has ended, with the options of now. Requests that the receiver
    // arms again by itself are as the stream was armed last.
    Result<void> arm(uint32_t stream);
    // Arms a further request of a stream, beside the one that it has.
    Result<void> arm_another(uint32_t stream);
    // The sockets of the streams that are not armed are closed: they are not asked of any more.
    void sockets_closed();
    // IORING_OP_ASYNC_CANCEL of its request; its final CQE is awaited by run(). Whatever it ends
    // with, the stream is only armed again on request.
    Result<void> cancel(uint32_t stream);

    // What comes before a close: cancels each armed request and awaits its final CQE, then
    // compares what is held once more (HeldCompared). kTimedOut: a request did not end.
    Result<RunEnd> wind_up(std::chrono::milliseconds timeout);
    // The latter alone, where requests are left under way.
    void compare_held();
    // Requests that the kernel has.
    bool any_armed() const;

    // StreamFinished for every stream.
    void finish(bool complete = true);

    // I5: gives everything back, then stops recycling and receives until -ENOMEM or silence, and
    // counts the different buffers it got. A peer must be sending more than the area holds on a
    // stream of `ifq`, and go on. Held buffers stay held. Records CapacityMeasured.
    Result<CapacityMeasured> measure_capacity(Ifq& ifq, const CapacityOptions& options = {});

    // Handles what the kernel has for the ring by now, without waiting. An event is task work of
    // its own behind that of the CQE that it is about.
    Result<void> catch_up();
    // A test submits a request by itself: CQEs with this user_data belong to it.
    void expect_other(uint64_t user_data, const std::string& operation);
    // CQEs that belong to no stream: events (ZcrxEvent), and what tests submit themselves.
    std::vector<Completion> take_other();
    // The oldest of them, waited for; nothing if none came in time.
    Result<std::optional<Completion>> next_other(std::chrono::milliseconds timeout);

    // For scenarios that corrupt memory or the order on purpose: called for each data CQE after it
    // was checked and before it is held or given back.
    std::function<void(uint32_t stream, const Completion&, std::span<const std::byte>)> on_data;

  private:
    struct Held {
        uint32_t stream;
        uint64_t offset;
        uint32_t length;
        uint64_t position;
        bool compare;  // it stayed long enough to be worth a second look
    };
    struct Stream {
        StreamState state;
        Ifq* ifq;
        Pattern pattern;
        uint32_t zcrx_id = 0;
        uint32_t limit = 0;  // of its requests, until it is armed with another one
        bool poll_first = false;
        bool cancelled = false;      // the armed request is to be
        uint64_t request = 0;        // user_data of the armed request
        uint64_t request_bytes = 0;  // received by it
        bool waits_for_buffer = false;
        std::chrono::steady_clock::time_point try_again{};
    };
    struct Queue {
        Ifq* ifq;
        uint32_t zcrx_id;  // in this ring
        std::deque<Held> held;
        std::deque<Held> waiting;  // to go back, but the refill ring was full
        uint64_t unflushed = 0;
        bool can_flush = true;
    };

    void compare_held_of(const Queue& queue);
    // Takes what is in the CQ into `batch_`, and handles it.
    Result<void> read_cq();
    Result<void> handle(const Completion& completion);
    void handle_data(Stream& stream, const Completion& completion);
    void record_without_data(const Stream& stream, const Completion& completion);
    Result<void> handle_final(Stream& stream, const Completion& completion);
    void apply_policy(Queue& queue);
    void release_all(Queue& queue);
    Result<void> push_waiting(Queue& queue);
    void give_back(Queue& queue, const Held& held);
    Result<void> arm(Stream& stream);
    Result<void> arm_anew(Stream& stream);
    Result<void> arm_waiting();
    Queue& queue_of(Ifq& ifq);
    Result<CapacityMeasured> drain(Ifq& ifq, const CapacityOptions& options);
    // Runs until nothing came for `quiet`, or every buffer of `ifq` was handed out.
    // Whether a stream has stalled, after the kernel was entered without a CQE.
    bool any_stalled(StallWatch& watch) const;
    // Until no buffer of the area is left for the NIC, as far as `dryness` can say.
    Result<void> run_dry(Ifq& ifq, Dryness& dryness,
                         std::chrono::steady_clock::time_point deadline);

    Ring& ring_;
    Trace& trace_;
    ReceiverOptions options_;
    std::map<uint32_t, Stream> streams_;
    std::map<uint64_t, uint32_t> requests_;  // armed: user_data -> stream
    std::map<const Ifq*, Queue> queues_;
    std::vector<Completion> batch_;
    std::vector<Completion> other_;
    uint64_t total_bytes_ = 0;
    uint64_t next_request_ = 1;
    std::optional<CapacityCount> capacity_;  // while it is measured
};

}  // namespace zcrxlab
