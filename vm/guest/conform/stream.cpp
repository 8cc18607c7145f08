// Sends the pattern, and looks at what comes back.
#include "vm/guest/conform/stream.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/slowness.hpp"
#include "vm/guest/send/connect_to.hpp"

namespace zcrxlab {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// So long a receiver may take nothing, and leave a connection open whose peer is done.
constexpr milliseconds kPatience = seconds(20);
constexpr milliseconds kEndPatience = seconds(10);
constexpr milliseconds kLookEvery{20};
// So far a shift is looked for in both directions, by so many bytes that are wrong.
constexpr uint64_t kFarthest = 256 << 10;
constexpr size_t kSample = 16;
// An answer that has a hash in it is no longer than this, in bytes.
constexpr size_t kMostOfAnswer = 4096;

// Of our end, in the host's order; 0 if there is none.
uint16_t local_port(const Fd& socket) {
    sockaddr_in6 address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
    // At the same place in both families.
    return ntohs(address.sin6_port);
}

// Where in the stream these bytes, which came at `position`, belong instead.
std::optional<int64_t> shift_of(const Pattern& pattern, std::span<const std::byte> bytes,
                                uint64_t position) {
    if (bytes.size() < kSample) return std::nullopt;
    for (uint64_t far = 1; far <= kFarthest; ++far) {
        if (!pattern.compare(bytes, position + far)) return static_cast<int64_t>(far);
        if (far <= position && !pattern.compare(bytes, position - far))
            return -static_cast<int64_t>(far);
    }
    return std::nullopt;
}

}  // namespace

void Stream::run(const std::string& address, uint16_t port, const std::function<void()>& begun) {
    auto connected = connect(address, port);
    if (!connected) {
        account_.end = SeenEnd::kRefused;
        done_sending_ = true;
        begun();
        return;
    }
    socket_ = std::move(*connected);
    account_.port = local_port(socket_);
    const int one = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (situation_.end == StreamEnd::kResetAtOnce) {
        end();
        done_sending_ = true;
        begun();
        return;
    }
    const bool meets_halt = situation_.stops_program || situation_.kills_program;
    bool open = !meets_halt ||
                (send(std::min(situation_.write, situation_.bytes)) && wait_for_acknowledgement());
    begun();
    open = open && send(situation_.bytes);
    // While the program stands still its kernel can acknowledge, but it cannot close.
    if (open && situation_.end == StreamEnd::kReset) {
        end();
        open = false;
    }
    done_sending_ = true;
    if (situation_.silent_milliseconds != 0)
        std::this_thread::sleep_for(milliseconds(situation_.silent_milliseconds));
    if (open) end();
    if (check_ != Check::kSha256) return;
    account_.hash = hash_.hex();
    if (const auto answered = sha256_in(answer_); !answered.empty())
        account_.answered = answered.front();
}

Result<Fd> Stream::connect(const std::string& address, uint16_t port) const {
    const auto give_up = Clock::now() + scaled(kPatience);
    for (;;) {
        auto connected = connect_to(address, situation_.family, port);
        if (connected || !waits_for_listener_ || Clock::now() >= give_up) return connected;
        std::this_thread::sleep_for(kLookEvery);
    }
}

bool Stream::send(uint64_t until) {
    std::vector<std::byte> chunk;
    auto give_up = Clock::now() + scaled(kPatience);
    while (account_.sent < until) {
        chunk.resize(std::min(situation_.write, until - account_.sent));
        pattern_.fill(chunk, account_.sent);
        for (size_t put = 0; put < chunk.size();) {
            const bool last = account_.sent + (chunk.size() - put) == situation_.bytes;
            const int more = last && situation_.end == StreamEnd::kFinWithData ? MSG_MORE : 0;
            const ssize_t got = ::send(socket_.get(), chunk.data() + put, chunk.size() - put,
                                       MSG_NOSIGNAL | MSG_DONTWAIT | more);
            if (got > 0) {
                if (check_ == Check::kSha256)
                    hash_.add(std::span(chunk).subspan(put, static_cast<size_t>(got)));
                put += static_cast<size_t>(got);
                account_.sent += static_cast<uint64_t>(got);
                sent_so_far_ = account_.sent;
                give_up = Clock::now() + scaled(kPatience);
                continue;
            }
            if (got < 0 && errno != EAGAIN && errno != EINTR) {
                account_.end = SeenEnd::kReset;
                return false;
            }
            // Who sends back before we are done must not be kept waiting by us.
            if (!read(0)) {
                account_.end = account_.end == SeenEnd::kReset ? SeenEnd::kReset : SeenEnd::kShut;
                return false;
            }
            pollfd ready{socket_.get(), POLLOUT | POLLIN, 0};
            ::poll(&ready, 1, static_cast<int>(kLookEvery.count()));
            if (Clock::now() >= give_up) {
                account_.end = SeenEnd::kStuck;
                return false;
            }
        }
    }
    return true;
}

bool Stream::wait_for_acknowledgement() {
    const auto give_up = Clock::now() + scaled(kPatience);
    for (int waiting = 1; Clock::now() < give_up;) {
        if (::ioctl(socket_.get(), SIOCOUTQ, &waiting) != 0) return false;
        if (waiting == 0) return true;
        std::this_thread::sleep_for(kLookEvery);
    }
    account_.end = SeenEnd::kStuck;
    return false;
}

void Stream::end() {
    if (situation_.end == StreamEnd::kReset && !wait_for_acknowledgement()) return;
    if (situation_.end == StreamEnd::kReset || situation_.end == StreamEnd::kResetAtOnce) {
        const linger at_once{1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        socket_.reset();
        return;
    }
    ::shutdown(socket_.get(), SHUT_WR);
    const auto give_up = Clock::now() + scaled(kEndPatience);
    while (read(static_cast<int>(kLookEvery.count()))) {
        if (Clock::now() < give_up) continue;
        account_.end = SeenEnd::kOpen;
        return;
    }
}

bool Stream::read(int timeout_milliseconds) {
    std::array<std::byte, 65536> chunk{};
    pollfd ready{socket_.get(), POLLIN, 0};
    while (::poll(&ready, 1, timeout_milliseconds) > 0) {
        timeout_milliseconds = 0;
        const ssize_t got = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) account_.end = SeenEnd::kReset;
        if (got <= 0) return false;
        compare(chunk.data(), static_cast<size_t>(got));
        if (check_ == Check::kSha256) read_answer(chunk.data(), static_cast<size_t>(got));
    }
    return true;
}

void Stream::compare(const std::byte* bytes, size_t count) {
    const std::span<const std::byte> came(bytes, count);
    if (check_ == Check::kEcho && !account_.wrong) {
        if (const auto mismatch = pattern_.compare(came, account_.echoed)) {
            const size_t at = mismatch->position - account_.echoed;
            account_.wrong =
                WrongByte{mismatch->position,
                          shift_of(pattern_, came.subspan(at, std::min(kSample, count - at)),
                                   mismatch->position)};
        }
    }
    account_.echoed += count;
}

void Stream::read_answer(const std::byte* bytes, size_t count) {
    const size_t room = kMostOfAnswer - std::min(answer_.size(), kMostOfAnswer);
    answer_.append(reinterpret_cast<const char*>(bytes), std::min(count, room));
}

}  // namespace zcrxlab
