// Server: the socket's life and the order of receiving, handling and sending.
#include "nic/transport/server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace zcrxlab::nic::vfio_user {

namespace {

// Bytes received in one on_readable(), about a dozen doorbells. A client that asks for more does
// not keep the others of the loop from theirs: a driver of two ports rings one to have its packets
// sent, and the other one to give it buffers for them, and counts on both being heard.
constexpr size_t kBytesOfATurn = 512;

uint64_t nanoseconds_since(std::chrono::steady_clock::time_point start) {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now() - start)
                                     .count());
}

}  // namespace

Result<std::unique_ptr<Server>> Server::create(PciDevice& device, DmaMap& dma, IrqVectors& irq,
                                               Log log) {
    auto endpoint = Endpoint::create(device, dma, irq, std::move(log));
    if (!endpoint) return endpoint.error();
    std::unique_ptr<Server> server(new Server(std::move(endpoint).value(), dma, irq));
    server->epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!server->epoll_) return error_from_errno("epoll_create1");
    return server;
}

Result<std::unique_ptr<Server>> Server::listen(const std::string& path, PciDevice& device,
                                               DmaMap& dma, IrqVectors& irq, Log log) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path))
        return Error{ENAMETOOLONG,
                     "The socket path \"" + path + "\" has " + std::to_string(path.size()) +
                         " bytes; 1 to 107 are possible. Choose a shorter directory."};
    std::memcpy(address.sun_path, path.c_str(), path.size());
    auto server = create(device, dma, irq, std::move(log));
    if (!server) return server;
    Server& self = **server;
    self.listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!self.listener_) return error_from_errno("socket(AF_UNIX)");
    if (::bind(self.listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
        Error error = error_from_errno("bind to " + path);
        if (error.code == EADDRINUSE) error.sentence += ". If nobody uses it, type: rm " + path;
        return error;
    }
    self.path_ = path;
    // Nobody can connect before listen(), so this is in time.
    if (::chmod(path.c_str(), 0600) != 0) return error_from_errno("chmod of " + path);
    if (::listen(self.listener_.get(), 1) != 0) return error_from_errno("listen on " + path);
    if (auto watched = self.watch(self.listener_.get(), EPOLLIN, false); !watched)
        return watched.error();
    return server;
}

Result<std::unique_ptr<Server>> Server::serve(Fd socket, PciDevice& device, DmaMap& dma,
                                              IrqVectors& irq, Log log) {
    auto server = create(device, dma, irq, std::move(log));
    if (!server) return server;
    if (auto connected = (*server)->connect(std::move(socket)); !connected)
        return connected.error();
    return server;
}

Server::~Server() {
    close();
}

void Server::close() {
    if (state_ == State::kConnected) endpoint_.disconnect();
    state_ = State::kClosed;
    connection_.reset();
    listener_.reset();
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
}

Result<void> Server::watch(int fd, uint32_t events, bool known) {
    epoll_event event{};
    event.events = events;
    if (::epoll_ctl(epoll_.get(), known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
        return error_from_errno("epoll_ctl");
    return {};
}

Result<void> Server::connect(Fd socket) {
    if (auto watched = watch(socket.get(), EPOLLIN, false); !watched) return watched;
    connection_.emplace(std::move(socket));
    state_ = State::kConnected;
    return {};
}

Result<void> Server::accept_client() {
    Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) {
        if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return {};
        return error_from_errno("accept on " + path_);
    }
    listener_.reset();
    ::unlink(path_.c_str());
    path_.clear();
    return connect(std::move(client));
}

Result<Server::State> Server::on_readable() {
    if (state_ == State::kListening) {
        if (auto accepted = accept_client(); !accepted) {
            close();
            return accepted.error();
        }
    }
    if (state_ != State::kConnected) return state_;
    auto outcome = exchange();
    if (outcome && *outcome == State::kConnected && connection_->blocked() != waiting_to_send_) {
        // A client that does not read its replies gets no further requests served.
        waiting_to_send_ = connection_->blocked();
        auto watched = watch(connection_->fd(), waiting_to_send_ ? EPOLLOUT : EPOLLIN, true);
        if (!watched) outcome = watched.error();
    }
    if (!outcome || *outcome == State::kClosed) close();
    return outcome;
}

Result<Server::State> Server::exchange() {
    // A client that vanishes between request and reply has hung up, no more.
    auto broken = [](const Error& error) -> Result<State> {
        if (error.code == EPIPE || error.code == ECONNRESET) return State::kClosed;
        return error;
    };
    if (auto flushed = connection_->flush(); !flushed) return broken(flushed.error());
    // What was received is answered before we return, but for what waits for room to send: nothing
    // would wake us for it.
    if (auto answered = answer(); !answered) return broken(answered.error());
    if (connection_->blocked()) return State::kConnected;
    const auto received = connection_->receive(kBytesOfATurn);
    if (!received) return broken(received.error());
    if (*received == Connection::Received::kEnd) return State::kClosed;
    if (auto answered = answer(); !answered) return broken(answered.error());
    return State::kConnected;
}

Result<void> Server::answer() {
    while (!connection_->blocked()) {
        auto message = connection_->next();
        if (!message) return message.error();
        if (!message->has_value()) return {};
        auto start = std::chrono::steady_clock::now();
        auto reply = endpoint_.handle(std::move(**message));
        if (reply.empty()) continue;
        auto sent = connection_->send(std::move(reply));
        slowest_reply_ns_ = std::max(slowest_reply_ns_, nanoseconds_since(start));
        if (!sent) return sent;
    }
    return {};
}

std::vector<std::pair<std::string, uint64_t>> Server::counters() const {
    return {
        {"vfio_user.messages", endpoint_.messages()},
        {"vfio_user.refused", endpoint_.refused()},
        {"vfio_user.posted_writes", endpoint_.posted_writes()},
        {"vfio_user.slowest_reply_ns", slowest_reply_ns_},
        {"vfio_user.dma_ranges", dma_->ranges()},
        {"vfio_user.dma_files", dma_->files()},
        {"vfio_user.dma_refused", dma_->refused()},
        {"vfio_user.interrupts", irq_->raised()},
        {"vfio_user.interrupts_ignored", irq_->ignored()},
    };
}

}  // namespace zcrxlab::nic::vfio_user
