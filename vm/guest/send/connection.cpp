// Sends and listens on one connection.
#include "vm/guest/send/connection.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/ring/pattern.hpp"
#include "vm/guest/send/connect_to.hpp"

namespace zcrxlab {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// So long a receiver may do nothing. An emulated one is slow.
constexpr seconds kPatience{60};
// After our FIN, for the other side's.
constexpr seconds kEndPatience{15};

int left_until(std::chrono::steady_clock::time_point until) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1000));
}

}  // namespace

Result<void> Connection::run(const std::string& address) {
    if (auto connected = connect(address); !connected) return connected;
    const auto until = spec_.duration ? Clock::now() + *spec_.duration : Clock::time_point::max();
    paced_from_ = Clock::now();
    while (spec_.duration ? Clock::now() < until : requests_ < spec_.requests) {
        if (requests_ > 0 && spec_.think.count() > 0) std::this_thread::sleep_for(spec_.think);
        if (auto done = request(); !done) return done;
        ++requests_;
        if (closed_ || (spec_.pattern == SendPattern::kHttp && answer_.closes())) break;
    }
    return end();
}

Result<void> Connection::connect(const std::string& address) {
    auto connected = connect_to(address, spec_.family, spec_.port);
    if (!connected) return connected.error();
    socket_ = std::move(*connected);
    return {};
}

Result<void> Connection::request() {
    if (spec_.pattern != SendPattern::kHttp) return send_body();
    answer_ = HttpAnswer();
    std::string head = (spec_.size > 0 ? "POST " : "GET ") + spec_.path +
                       " HTTP/1.1\r\nHost: " + host_ + "\r\nUser-Agent: zcrx-send\r\n";
    if (spec_.size > 0)
        head += "Content-Type: application/octet-stream\r\nContent-Length: " +
                std::to_string(spec_.size) + "\r\n";
    if (auto sent = write(head + "\r\n"); !sent) return sent;
    if (auto sent = send_body(); !sent) return sent;
    return wait_for_answer();
}

Result<void> Connection::send_body() {
    std::vector<std::byte> chunk;
    for (uint64_t done = 0; done < spec_.size;) {
        chunk.resize(std::min(spec_.write, spec_.size - done));
        fill(chunk, position_);
        if (auto sent = write({reinterpret_cast<const char*>(chunk.data()), chunk.size()}); !sent)
            return sent;
        done += chunk.size();
        position_ += chunk.size();
        if (spec_.rate)
            std::this_thread::sleep_until(
                paced_from_ + std::chrono::duration_cast<Clock::duration>(duration<double>(
                                  static_cast<double>(sent_) / static_cast<double>(*spec_.rate))));
    }
    return {};
}

void Connection::fill(std::vector<std::byte>& chunk, uint64_t position) const {
    if (spec_.pattern == SendPattern::kZeros) {
        std::memset(chunk.data(), 0, chunk.size());
    } else if (spec_.pattern == SendPattern::kText) {
        for (size_t i = 0; i < chunk.size(); ++i) {
            const uint64_t column = (position + i) % 80;
            chunk[i] = column == 79 ? std::byte{'\n'} : std::byte(' ' + column);
        }
    } else {
        Pattern(seed_).fill(chunk, position);
    }
}

Result<void> Connection::write(std::string_view bytes) {
    auto until = Clock::now() + kPatience;
    while (!bytes.empty()) {
        const ssize_t put =
            ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put > 0) {
            sent_ += static_cast<uint64_t>(put);
            bytes.remove_prefix(static_cast<size_t>(put));
            until = Clock::now() + kPatience;
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return error_from_errno("send behind byte " + std::to_string(sent_));
        // Who answers before we are done must not be kept waiting by us.
        const auto got = read(0);
        if (!got) return got.error();
        pollfd ready{socket_.get(), static_cast<short>(closed_ ? POLLOUT : POLLOUT | POLLIN), 0};
        ::poll(&ready, 1, left_until(until));
        if (Clock::now() >= until)
            return Error{ETIMEDOUT, "The receiver took nothing for " +
                                        std::to_string(kPatience.count()) + " s behind byte " +
                                        std::to_string(sent_) + "."};
    }
    return {};
}

Result<bool> Connection::read(int timeout_milliseconds) {
    if (closed_) return false;
    std::array<char, 65536> chunk{};
    pollfd ready{socket_.get(), POLLIN, 0};
    while (::poll(&ready, 1, timeout_milliseconds) > 0) {
        timeout_milliseconds = 0;
        const ssize_t got = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return error_from_errno("receive an answer");
        if (got == 0) {
            closed_ = true;
            answer_.closed();
            return false;
        }
        received_ += static_cast<uint64_t>(got);
        if (spec_.pattern == SendPattern::kHttp)
            answer_.feed({chunk.data(), static_cast<size_t>(got)});
    }
    return true;
}

Result<void> Connection::wait_for_answer() {
    const auto until = Clock::now() + kPatience;
    for (;;) {
        const auto state = answer_.feed({});
        if (state == HttpAnswer::State::kComplete) break;
        if (state == HttpAnswer::State::kBroken)
            return Error{EPROTO, closed_ ? "The server closed the connection within an answer."
                                         : "The server's answer is no HTTP/1.1."};
        if (Clock::now() >= until)
            return Error{ETIMEDOUT,
                         "There was no answer for " + std::to_string(kPatience.count()) + " s."};
        if (auto got = read(left_until(until)); !got) return got.error();
    }
    if (answer_.status() >= 400)
        return Error{EPROTO, "The server answered " + std::to_string(answer_.status()) + "."};
    return {};
}

Result<void> Connection::end() {
    if (spec_.reset) {
        const linger at_once{1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        socket_.reset();
        return {};
    }
    ::shutdown(socket_.get(), SHUT_WR);
    const auto until = Clock::now() + kEndPatience;
    for (;;) {
        const auto open = read(left_until(until));
        if (!open) return open.error();
        if (!*open) return {};
        if (Clock::now() >= until)
            return Error{ETIMEDOUT, "The receiver has not closed the connection " +
                                        std::to_string(kEndPatience.count()) +
                                        " s after all was sent."};
    }
}

}  // namespace zcrxlab
