// Peer: the sending end of streams; each sends the pattern from a thread of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/net/tcp.hpp"
#include "harness/ring/pattern.hpp"
#include "harness/trace/trace.hpp"

namespace zcrxlab {

enum class PeerEnd {
    kFin,    // shutdown(SHUT_WR), after everything was handed over
    kReset,  // SO_LINGER 0 and close
    kIdle,   // stays open and silent until the Peer goes
};

struct PeerPlan {
    uint32_t stream = 0;  // unique in the trace
    uint64_t seed = 0;
    uint64_t total = 0;  // bytes; UINT64_MAX = until stop()
    // Bytes of each write, used in turn. One write is one push: small ones become small segments.
    std::vector<uint32_t> chunks = {65536};
    // Bytes per second; empty = as fast as the socket takes them.
    std::optional<uint64_t> rate;
    PeerEnd end = PeerEnd::kFin;
    bool record = true;  // PeerSent after each write
    // Damages the bytes of a write before it is sent: for negative controls.
    std::function<void(std::span<std::byte> bytes, uint64_t position)> damage;
};

class Peer {
  public:
    // Takes the socket and starts sending. Records PeerSent and PeerClosed.
    Peer(Fd socket, PeerPlan plan, Trace& trace);
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    // Stops and closes.
    ~Peer();

    // Bytes that the socket took so far.
    uint64_t sent() const { return sent_.load(); }
    // Everything was handed over (and the stream ended as planned), or it failed or was stopped.
    bool finished() const {
        return ended_.load() || (end_.load() == PeerEnd::kIdle && sent_.load() >= target_.load());
    }
    // Sends `more` bytes beyond the total of the plan; only with kIdle. With `chunks`, these are
    // the bytes of each write from there on.
    void send_more(uint64_t more, std::vector<uint32_t> chunks = {});
    // Sends the next byte of the stream as urgent data (MSG_OOB); only with kIdle.
    void send_urgent();
    // Ends a stream that was kIdle like this, after everything was handed over.
    void end(PeerEnd how);
    // Stops sending at once; the end of the plan is still carried out.
    void stop();
    // Waits for the thread: the error that stopped it, if any (EPIPE, ECONNRESET: the receiver
    // went away).
    Result<void> wait();

  private:
    void run();
    // Until there is more to send, or the end of the stream.
    void wait_for_work();
    // Wakes whoever waits for what changes by it.
    void change(const std::function<void()>& how);
    Result<void> send_all();
    Result<void> write(std::span<const std::byte> bytes, bool urgent);
    void end_stream();

    Fd socket_;
    PeerPlan plan_;
    Trace& trace_;
    std::atomic<uint64_t> sent_{0};
    std::atomic<uint64_t> target_;
    std::atomic<PeerEnd> end_;
    std::atomic<bool> ended_{false};  // the thread has done all it will do
    std::atomic<bool> stopping_{false};
    // From a position on, writes have these sizes.
    struct Portion {
        uint64_t from;
        std::vector<uint32_t> chunks;
        size_t writes = 0;
        bool urgent = false;
    };
    struct Write {
        uint64_t bytes;
        bool urgent;
    };
    // The write at a position.
    Write next_write(uint64_t position);

    // Nobody looks again and again: in an emulated guest each look costs an interrupt.
    std::condition_variable changed_;
    std::mutex mutex_;  // of what follows
    std::vector<Portion> portions_;
    std::optional<Error> error_;
    std::thread thread_;
};

// A connection with its ConnectionOpened event recorded.
Result<TcpPair> open_stream(const TcpOptions& options, uint32_t stream, uint64_t seed,
                            Trace& trace);
// The same to a listener that is there already: several connections to one port.
Result<TcpPair> open_stream(const TcpListener& listener, const TcpOptions& options, uint32_t stream,
                            uint64_t seed, Trace& trace);

}  // namespace zcrxlab
