// A receiver with io_uring zero-copy receive on zcrxlab's harness: one thread for each receive
// queue, each with its own ring. Counts bytes. Meant to be read and copied; zcrx_receiver.c is the
// same in system calls alone, and says more of each step.
//
// To build it: cmake -G Ninja -B build && ninja -C build zcrx-receiver
// To see it run without such a NIC:
//   zcrxlab exec --port 8080 --queues 2 --send connections=8,size=4M --
//   build/bin/zcrx-receiver
//
// MIT licence, Copyright (c) the zcrxlab authors.
#include <fmt/format.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <latch>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/ring.hpp"

namespace {

using namespace zcrxlab;

// What a completion is about: one of these above a file descriptor.
enum class Kind : uint32_t { kStop, kAccept, kReceive };

// One queue: its ring, its area, its connections. One thread.
class Reactor {
  public:
    Reactor(std::string interface, uint32_t queue, Fd listener)
        : interface_(std::move(interface)), queue_(queue), listener_(std::move(listener)) {}

    int listener() const { return listener_.get(); }

    // A ring belongs to the thread that makes it. From here on, payload of packets on this queue
    // lands in our area.
    Result<void> take_queue() {
        auto ring = Ring::create();  // CQEs of 32 bytes, one issuer, deferred task work
        if (!ring) return ring.error();
        ring_.emplace(std::move(*ring));
        IfqOptions options;
        options.interface = interface_;
        options.queue = queue_;
        options.area_size = 16U << 20;
        auto ifq = Ifq::open(*ring_, options);  // its errors say what can be behind them
        if (!ifq) return ifq.error();
        ifq_ = std::move(*ifq);
        return {};
    }

    // Serves connections until `stop` can be read.
    Result<void> serve(int stop) {
        auto stopping = request(Kind::kStop, stop);
        if (!stopping) return stopping.error();
        (*stopping)->opcode = IORING_OP_POLL_ADD;
        (*stopping)->poll32_events = POLLIN;
        if (auto armed = accept_connections(); !armed) return armed.error();
        std::vector<Completion> completions;
        while (!stopped_) {
            if (auto waited = ring_->wait(); !waited) return waited.error();
            completions.clear();
            ring_->reap(completions);
            for (const Completion& completion : completions) {
                if (is_piece(completion)) {
                    received(completion);
                } else if (auto done = complete(completion); !done) {
                    return done.error();
                }
            }
            show_returned();
        }
        fmt::print(
            "queue {}: {} connections, {} bytes in {} pieces ({} kept), "
            "{} requests armed again\n",
            queue_, connections_, bytes_, pieces_, waiting_.size(), armed_again_);
        return {};
    }

  private:
    Result<io_uring_sqe*> request(Kind kind, int fd) {
        auto sqe = ring_->next_sqe();
        if (!sqe) return sqe.error();
        (*sqe)->fd = fd;
        (*sqe)->user_data = uint64_t{static_cast<uint32_t>(kind)} << 32 | static_cast<uint32_t>(fd);
        return *sqe;
    }

    Result<void> accept_connections() {
        auto sqe = request(Kind::kAccept, listener_.get());
        if (!sqe) return sqe.error();
        (*sqe)->opcode = IORING_OP_ACCEPT;
        (*sqe)->ioprio = IORING_ACCEPT_MULTISHOT;
        return {};
    }

    // One request receives a whole stream, and each piece of it is a CQE.
    Result<void> receive(int connection) {
        auto sqe = request(Kind::kReceive, connection);
        if (!sqe) return sqe.error();
        (*sqe)->opcode = uapi::kOpRecvZc;
        (*sqe)->ioprio = uapi::kRecvMultishot;
        (*sqe)->splice_fd_in = static_cast<int32_t>(ifq_->zcrx_id());  // zcrx_ifq_idx
        return {};
    }

    static Kind kind_of(const Completion& completion) {
        return static_cast<Kind>(completion.user_data >> 32);
    }

    // What ends a request has no payload.
    static bool is_piece(const Completion& completion) {
        return kind_of(completion) == Kind::kReceive && (completion.flags & uapi::kCqeMore) != 0;
    }

    void received(const Completion& completion) {
        const auto size = static_cast<uint32_t>(completion.result);
        // Here is the payload, where the NIC wrote it. This example only counts.
        bytes_ += ifq_->payload(completion.offset, size).size();
        ++pieces_;
        give_back(completion.offset, size);
    }

    Result<void> complete(const Completion& completion) {
        const int fd = static_cast<int>(static_cast<uint32_t>(completion.user_data));
        const bool more = (completion.flags & uapi::kCqeMore) != 0;
        switch (kind_of(completion)) {
            case Kind::kStop:
                stopped_ = true;
                return {};
            case Kind::kAccept:
                if (!more)
                    if (auto armed = accept_connections(); !armed) return armed.error();
                if (completion.result < 0) return {};
                ++connections_;
                open_.emplace(completion.result, Fd(completion.result));
                return receive(completion.result);
            case Kind::kReceive:
                return end_of_request(fd, completion.result);
        }
        return {};
    }

    // The kernel looks at the refill ring only when it runs out of buffers, so with small pieces
    // it can be full. Then they wait here.
    void give_back(uint64_t offset, uint32_t size) {
        if (!ifq_->refill().push(offset, size)) waiting_.emplace_back(offset, size);
    }

    // After a batch the kernel may see what went back.
    void show_returned() {
        while (!waiting_.empty() &&
               ifq_->refill().push(waiting_.back().first, waiting_.back().second))
            waiting_.pop_back();
        ifq_->refill().publish();
    }

    Result<void> end_of_request(int connection, int result) {
        // The CQ was full, or no buffer was free to copy into: nothing is lost, data waits in the
        // socket, and what we held is back by now.
        if (result == -ENOSPC || result == -ENOMEM) {
            ++armed_again_;
            return receive(connection);
        }
        if (result < 0 && result != -ECONNRESET)
            fmt::print(stderr, "zcrx-receiver: receive: {}\n", std::strerror(-result));
        open_.erase(connection);
        return {};
    }

    const std::string interface_;
    const uint32_t queue_;
    Fd listener_;
    std::optional<Ring> ring_;
    std::unique_ptr<Ifq> ifq_;
    std::unordered_map<int, Fd> open_;
    std::vector<std::pair<uint64_t, uint32_t>> waiting_;  // to go back: CQE offset, bytes
    uint64_t connections_ = 0, bytes_ = 0, pieces_ = 0, armed_again_ = 0;
    bool stopped_ = false;
};

// Bound, and not listening yet: what comes before the queues are ours would be copied.
Result<Fd> bind_to(uint16_t port) {
    Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int one = 1;
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) != 0 ||
        ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return error_from_errno(fmt::format("bind to port {}", port));
    return fd;
}

// All listen on one port. A connection has to be accepted by the reactor whose queue its packets
// come through, or all of them are copied: this program answers with the number of the listener,
// counted in the order in which they began to listen, for the queue of the SYN. The queues follow
// one another.
Result<void> choose_by_queue(int listener, uint32_t first, uint32_t count) {
    std::array<sock_filter, 4> code{{
        // The kernel counts recorded queues from 1.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_QUEUE)),
        BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, first + 1),
        BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, count),
        BPF_STMT(BPF_RET | BPF_A, 0),
    }};
    const sock_fprog program{code.size(), code.data()};
    if (::setsockopt(listener, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) != 0)
        return error_from_errno("choose listeners by queue");
    return {};
}

Result<void> listen_in_order(const std::vector<std::unique_ptr<Reactor>>& reactors) {
    for (const auto& reactor : reactors)
        if (::listen(reactor->listener(), 128) != 0) return error_from_errno("listen");
    return {};
}

// All reactors, until SIGINT or SIGTERM.
Result<void> run(const std::string& interface, const std::vector<uint32_t>& queues, uint16_t port) {
    sigset_t stops;
    ::sigemptyset(&stops);
    ::sigaddset(&stops, SIGINT);
    ::sigaddset(&stops, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stops, nullptr);  // of all threads to come
    const Fd stop(::signalfd(-1, &stops, SFD_CLOEXEC));
    if (!stop) return error_from_errno("signalfd");

    std::vector<std::unique_ptr<Reactor>> reactors;
    for (const uint32_t queue : queues) {
        auto listener = bind_to(port);
        if (!listener) return listener.error();
        reactors.push_back(std::make_unique<Reactor>(interface, queue, std::move(*listener)));
    }
    const auto count = static_cast<uint32_t>(queues.size());
    if (count > 1)
        if (auto chosen = choose_by_queue(reactors[0]->listener(), queues[0], count); !chosen)
            return chosen.error();

    // First all queues, then all listeners; one that cannot stops all of them.
    std::vector<Result<void>> results(count);
    std::latch taken(count), listening(1);
    bool go_on = true;
    std::vector<std::jthread> threads;
    for (uint32_t index = 0; index < count; ++index)
        threads.emplace_back([&, index] {
            results[index] = reactors[index]->take_queue();
            taken.count_down();
            listening.wait();
            if (!go_on) return;
            results[index] = reactors[index]->serve(stop.get());
            if (!results[index]) ::kill(::getpid(), SIGTERM);
        });
    taken.wait();
    for (const Result<void>& result : results) go_on = go_on && result.ok();
    Result<void> ended;
    if (go_on) ended = listen_in_order(reactors);
    go_on = go_on && ended.ok();
    listening.count_down();
    threads.clear();  // joins
    for (const Result<void>& result : results)
        if (!result) return result.error();
    return ended;
}

}  // namespace

int main() {
    const char* const interface = std::getenv("NETIF");
    const char* const queue_list = std::getenv("ZCRX_QUEUES");
    const char* const port = std::getenv("ZCRX_PORT");
    if (interface == nullptr || queue_list == nullptr || port == nullptr) {
        fmt::print(stderr, "zcrx-receiver: set NETIF, ZCRX_QUEUES (\"2 3\") and ZCRX_PORT\n");
        return 64;
    }
    std::vector<uint32_t> queues;
    std::istringstream words(queue_list);
    for (uint32_t queue = 0; words >> queue;) queues.push_back(queue);
    const auto ended = run(interface, queues, static_cast<uint16_t>(std::atoi(port)));
    if (!ended) fmt::print(stderr, "zcrx-receiver: {}\n", ended.error().sentence);
    return ended ? 0 : 1;
}
