// Moves frames both ways with one loop for each direction; each loop waits for one thing at a
// time.
#include "harness/lab/far/joint.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <csignal>
#include <vector>

#include "harness/lab/far/frame_stream.hpp"

namespace zcrxlab {
namespace {

// Many small frames go in one write.
constexpr size_t kBatch = 64 * 1024;  // bytes

void raise_event(const Fd& fd) {
    const uint64_t one = 1;
    (void)!::write(fd.get(), &one, sizeof one);
}

}  // namespace

Joint::Joint(std::unique_ptr<EthernetPort> port, int from, int to)
    : port_(std::move(port)),
      from_(from),
      to_(to),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      ended_(::eventfd(0, EFD_CLOEXEC)) {}

Result<std::unique_ptr<Joint>> Joint::make(std::unique_ptr<EthernetPort> port, int from, int to) {
    std::unique_ptr<Joint> joint(new Joint(std::move(port), from, to));
    if (!joint->stop_ || !joint->ended_) return error_from_errno("eventfd");
    for (const int fd : {from, to})
        if (::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK) != 0)
            return error_from_errno("make the stream non-blocking");
    joint->out_ = std::thread([self = joint.get()] { self->run(&Joint::out_of_port); });
    joint->in_ = std::thread([self = joint.get()] { self->run(&Joint::into_port); });
    return joint;
}

Joint::~Joint() {
    raise_event(stop_);
    for (std::thread* thread : {&out_, &in_})
        if (thread->joinable()) thread->join();
}

std::optional<Error> Joint::end() const {
    const std::lock_guard lock(mutex_);
    return end_;
}

bool Joint::wait_for(int fd, short events) const {
    for (;;) {
        std::array<pollfd, 2> waiting{{{stop_.get(), POLLIN, 0}, {fd, events, 0}}};
        if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
        if (waiting[0].revents != 0) return false;
        if (waiting[1].revents != 0) return true;
    }
}

void Joint::run(Result<void> (Joint::*way)()) {
    // A stream whose other end went is an error of write(), and no signal. Signals are for others.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    const Result<void> done = (this->*way)();
    if (done) return;
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = done.error();
    raise_event(ended_);
}

Result<void> Joint::out_of_port() {
    std::vector<std::byte> batch;
    while (wait_for(port_->descriptor(), POLLIN)) {
        batch.clear();
        while (batch.size() < kBatch) {
            auto frame = port_->read();
            if (!frame) return frame.error();
            if (frame->empty()) break;
            if (frame->size() > kVirtioHeader) append_frame(batch, *frame);
        }
        for (size_t sent = 0; sent < batch.size();) {
            const ssize_t put = ::write(to_, batch.data() + sent, batch.size() - sent);
            if (put > 0) sent += static_cast<size_t>(put);
            if (put < 0 && errno == EPIPE) return Error{EPIPE, "The connection has ended."};
            if (put < 0 && errno != EAGAIN && errno != EINTR)
                return error_from_errno("write to the connection");
            if (put < 0 && errno == EAGAIN && !wait_for(to_, POLLOUT)) return {};
        }
    }
    return {};
}

Result<void> Joint::into_port() {
    FrameReader reader;
    std::vector<std::byte> chunk(kBatch);
    while (wait_for(from_, POLLIN)) {
        const ssize_t got = ::read(from_, chunk.data(), chunk.size());
        if (got == 0) return Error{EPIPE, "The connection has ended."};
        if (got < 0 && errno != EAGAIN && errno != EINTR)
            return error_from_errno("read from the connection");
        if (got < 0) continue;
        reader.feed(std::span(chunk).first(static_cast<size_t>(got)));
        for (;;) {
            const auto frame = reader.next();
            if (!frame) return frame.error();
            if (!*frame) break;
            while (!(*frame)->empty()) {
                const auto put = port_->write(**frame);
                if (put) break;
                if (put.error().code != EAGAIN) return put.error();
                if (!wait_for(port_->descriptor(), POLLOUT)) return {};
            }
        }
    }
    return {};
}

}  // namespace zcrxlab
