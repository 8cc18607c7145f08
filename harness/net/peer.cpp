// The thread that sends, and the connection it sends over.
#include "harness/net/peer.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace zcrxlab {
namespace {

// How long a full socket or an idle peer sleeps before it looks whether it was stopped.
constexpr int kGlanceMilliseconds = 20;

}  // namespace

Peer::Peer(Fd socket, PeerPlan plan, Trace& trace)
    : socket_(std::move(socket)),
      plan_(std::move(plan)),
      trace_(trace),
      target_(plan_.total),
      end_(plan_.end) {
    if (plan_.chunks.empty()) plan_.chunks = {65536};
    portions_.push_back({0, plan_.chunks});
    thread_ = std::thread([this] { run(); });
}

Peer::~Peer() {
    stop();
    if (thread_.joinable()) thread_.join();
}

void Peer::change(const std::function<void()>& how) {
    {
        const std::lock_guard lock(mutex_);
        how();
    }
    changed_.notify_all();
}

void Peer::stop() {
    change([this] { stopping_ = true; });
}

void Peer::end(PeerEnd how) {
    change([this, how] { end_ = how; });
}

void Peer::send_more(uint64_t more, std::vector<uint32_t> chunks) {
    change([&] {
        if (!chunks.empty()) portions_.push_back({target_, std::move(chunks)});
        target_ += more;
    });
}

void Peer::send_urgent() {
    change([this] {
        // What follows is sent as before.
        std::vector<uint32_t> chunks = portions_.back().chunks;
        portions_.push_back({target_, {1}, 0, true});
        target_ += 1;
        portions_.push_back({target_, std::move(chunks)});
    });
}

Peer::Write Peer::next_write(uint64_t position) {
    const std::lock_guard lock(mutex_);
    while (portions_.size() > 1 && portions_[1].from <= position)
        portions_.erase(portions_.begin());
    Portion& portion = portions_.front();
    const uint64_t planned = std::max(1U, portion.chunks[portion.writes++ % portion.chunks.size()]);
    const uint64_t end = portions_.size() > 1 ? portions_[1].from : target_.load();
    return {std::min(planned, end - position), portion.urgent};
}

Result<void> Peer::wait() {
    // An idle peer has nothing to wait for but its last byte.
    if (end_ == PeerEnd::kIdle) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return finished(); });
    } else if (thread_.joinable()) {
        thread_.join();
    }
    const std::lock_guard lock(mutex_);
    if (error_) return *error_;
    return {};
}

void Peer::run() {
    for (;;) {
        if (auto sent = send_all(); !sent) {
            change([&] { error_ = sent.error(); });
            break;
        }
        // What was asked for before the end was, is sent before it.
        const bool ending = end_ != PeerEnd::kIdle;
        if (stopping_ || (ending && sent_ >= target_)) break;
        if (ending) continue;
        wait_for_work();
    }
    end_stream();
    change([this] { ended_ = true; });
}

void Peer::wait_for_work() {
    std::unique_lock lock(mutex_);
    changed_.notify_all();  // everything is sent
    changed_.wait(lock, [this] { return stopping_ || end_ != PeerEnd::kIdle || sent_ < target_; });
}

Result<void> Peer::send_all() {
    const Pattern pattern(plan_.seed);
    const auto started = std::chrono::steady_clock::now();
    const uint64_t sent_before = sent_;
    std::vector<std::byte> chunk;
    while (!stopping_ && sent_ < target_) {
        const uint64_t position = sent_;
        const Write next = next_write(position);
        chunk.resize(next.bytes);
        pattern.fill(chunk, position);
        if (plan_.damage) plan_.damage(chunk, position);
        if (auto written = write(chunk, next.urgent); !written) return written;
        if (plan_.record) trace_.add(PeerSent{plan_.stream, sent_});
        if (plan_.rate && *plan_.rate != 0) {
            const double seconds =
                static_cast<double>(sent_ - sent_before) / static_cast<double>(*plan_.rate);
            std::this_thread::sleep_until(started + std::chrono::duration<double>(seconds));
        }
    }
    return {};
}

Result<void> Peer::write(std::span<const std::byte> bytes, bool urgent) {
    const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (urgent ? MSG_OOB : 0);
    while (!bytes.empty() && !stopping_) {
        const ssize_t taken = ::send(socket_.get(), bytes.data(), bytes.size(), flags);
        if (taken > 0) {
            sent_ += static_cast<uint64_t>(taken);
            bytes = bytes.subspan(static_cast<size_t>(taken));
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) {
            return error_from_errno("send to the receiver of stream " +
                                    std::to_string(plan_.stream) + " at position " +
                                    std::to_string(sent_.load()));
        }
        pollfd waiting{socket_.get(), POLLOUT, 0};
        ::poll(&waiting, 1, kGlanceMilliseconds);
    }
    return {};
}

void Peer::end_stream() {
    // Recorded before it happens: nothing that follows from it may stand earlier in the trace.
    if (!plan_.record || sent_ == 0) trace_.add(PeerSent{plan_.stream, sent_});
    switch (end_.load()) {
        case PeerEnd::kFin:
            trace_.add(PeerClosed{plan_.stream, false});
            ::shutdown(socket_.get(), SHUT_WR);
            break;
        case PeerEnd::kReset: {
            trace_.add(PeerClosed{plan_.stream, true});
            const linger at_once{1, 0};
            ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            socket_.reset();
            break;
        }
        case PeerEnd::kIdle:
            break;
    }
}

Result<TcpPair> open_stream(const TcpListener& listener, const TcpOptions& options, uint32_t stream,
                            uint64_t seed, Trace& trace) {
    auto pair = tcp_connect(listener, options);
    if (!pair) return pair;
    trace.add(ConnectionOpened{stream, seed, options.family, pair->peer_port, pair->receiver_port,
                               options.mss.value_or(0),
                               static_cast<uint32_t>(options.receive_buffer.value_or(0)),
                               static_cast<uint32_t>(options.send_buffer.value_or(0))});
    return pair;
}

Result<TcpPair> open_stream(const TcpOptions& options, uint32_t stream, uint64_t seed,
                            Trace& trace) {
    auto listener = tcp_listen(options);
    if (!listener) return listener.error();
    return open_stream(*listener, options, stream, seed, trace);
}

}  // namespace zcrxlab
