// Makes the sockets of both ends; that of the peer inside its namespace.
#include "harness/net/tcp.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

#include "harness/base/slowness.hpp"
#include "harness/net/namespace.hpp"

namespace zcrxlab {
namespace {

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;

    sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// `text` may be empty: any address.
Result<Address> address(uint8_t family, const std::string& text, uint16_t port) {
    Address result;
    void* where = nullptr;
    int domain = AF_INET;
    if (family == 6) {
        auto* in6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        where = &in6->sin6_addr;
        domain = AF_INET6;
        result.size = sizeof *in6;
    } else {
        auto* in4 = reinterpret_cast<sockaddr_in*>(&result.storage);
        in4->sin_family = AF_INET;
        in4->sin_port = htons(port);
        where = &in4->sin_addr;
        result.size = sizeof *in4;
    }
    if (!text.empty() && ::inet_pton(domain, text.c_str(), where) != 1) {
        return Error{EINVAL, "\"" + text + "\" is no IPv" + std::to_string(family) + " address"};
    }
    return result;
}

Result<uint16_t> local_port(int socket) {
    Address bound;
    bound.size = sizeof bound.storage;
    if (::getsockname(socket, bound.get(), &bound.size) != 0)
        return error_from_errno("getsockname");
    if (bound.storage.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<sockaddr_in6*>(&bound.storage)->sin6_port);
    return ntohs(reinterpret_cast<sockaddr_in*>(&bound.storage)->sin_port);
}

Result<void> set(int socket, int level, int option, int value, const char* name) {
    if (::setsockopt(socket, level, option, &value, sizeof value) != 0)
        return error_from_errno(std::string("set ") + name + " to " + std::to_string(value));
    return {};
}

// Waits for readiness; ETIMEDOUT with `doing`.
Result<void> wait_for(int socket, short events, std::chrono::milliseconds timeout,
                      const std::string& doing) {
    pollfd waiting{socket, events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(timeout.count()));
    if (ready < 0) return error_from_errno(doing);
    if (ready == 0)
        return Error{ETIMEDOUT, doing + ": nothing happened for " +
                                    std::to_string(timeout.count()) + " ms; type: ip addr, ping"};
    return {};
}

Result<Fd> new_socket(uint8_t family) {
    Fd socket(::socket(family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return error_from_errno("make a TCP socket");
    return socket;
}

// Both ends are one cable apart, and a scenario that exhausts buffers waits for retransmissions. A
// kernel without these options (before 6.15) only takes longer, so that refusal is no error.
void retransmit_soon(int socket, std::chrono::microseconds shortest) {
    constexpr int kTcpRtoMaxMs = 44, kTcpRtoMinUs = 45;  // include/uapi/linux/tcp.h
    const auto shortest_us = static_cast<int>(shortest.count());
    const int longest_ms = 1000;
    ::setsockopt(socket, IPPROTO_TCP, kTcpRtoMinUs, &shortest_us, sizeof shortest_us);
    ::setsockopt(socket, IPPROTO_TCP, kTcpRtoMaxMs, &longest_ms, sizeof longest_ms);
}

// Longer than any scenario takes.
Result<void> never_give_up(int socket) {
    constexpr int kHour = 3'600'000;  // milliseconds
    return set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kHour, "TCP_USER_TIMEOUT");
}

Result<Fd> connect_peer(const TcpListener& listener, const TcpOptions& options) {
    auto socket = new_socket(options.family);
    if (!socket) return socket.error();
    const int fd = socket->get();
    if (options.mss) {
        const int mss = static_cast<int>(*options.mss);
        if (auto done = set(fd, IPPROTO_TCP, TCP_MAXSEG, mss, "TCP_MAXSEG"); !done)
            return done.error();
    }
    if (options.send_buffer) {
        if (auto done = set(fd, SOL_SOCKET, SO_SNDBUF, *options.send_buffer, "SO_SNDBUF"); !done)
            return done.error();
    }
    if (auto done = set(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY"); !done) return done.error();
    retransmit_soon(fd, options.soonest_retransmission);
    if (!options.gives_up)
        if (auto done = never_give_up(fd); !done) return done.error();
    if (!options.peer.empty()) {
        auto from = address(options.family, options.peer, 0);
        if (!from) return from.error();
        if (::bind(fd, from->get(), from->size) != 0)
            return error_from_errno("bind the peer to " + options.peer);
    }
    auto to = address(options.family, options.local, listener.port);
    if (!to) return to.error();
    const std::string doing = "connect from " + options.peer + " to " + options.local + " port " +
                              std::to_string(listener.port);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    if (::connect(fd, to->get(), to->size) != 0 && errno != EINPROGRESS)
        return error_from_errno(doing);
    if (auto ready = wait_for(fd, POLLOUT, options.timeout, doing); !ready) return ready.error();
    int code = 0;
    socklen_t size = sizeof code;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
    if (code != 0) return error_from_errno(doing, code);
    ::fcntl(fd, F_SETFL, 0);
    return socket;
}

Result<TcpListener> listen_here(const TcpOptions& options) {
    auto socket = new_socket(options.family);
    if (!socket) return socket.error();
    const int fd = socket->get();
    if (auto done = set(fd, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"); !done)
        return done.error();
    // Inherited by what is accepted, and in time for the window of the handshake.
    if (options.receive_buffer) {
        if (auto done = set(fd, SOL_SOCKET, SO_RCVBUF, *options.receive_buffer, "SO_RCVBUF"); !done)
            return done.error();
    }
    auto at = address(options.family, options.local, options.port);
    if (!at) return at.error();
    if (::bind(fd, at->get(), at->size) != 0)
        return error_from_errno("bind to " + options.local + " port " +
                                std::to_string(options.port));
    if (::listen(fd, 1024) != 0) return error_from_errno("listen on " + options.local);
    auto port = local_port(fd);
    if (!port) return port.error();
    return TcpListener{std::move(*socket), *port};
}

Result<TcpPair> connect_once(const TcpListener& listener, const TcpOptions& options) {
    auto peer = in_namespace_get<Fd>(options.peer_namespace,
                                     [&] { return connect_peer(listener, options); });
    if (!peer) return peer.error();
    TcpPair pair;
    pair.peer = std::move(*peer);
    pair.receiver_port = listener.port;
    auto port = local_port(pair.peer.get());
    if (!port) return port.error();
    pair.peer_port = *port;
    const std::string doing = "accept on " + options.local;
    if (auto ready = wait_for(listener.socket.get(), POLLIN, options.timeout, doing); !ready)
        return ready.error();
    pair.receiver = Fd(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!pair.receiver) return error_from_errno(doing);
    return pair;
}

}  // namespace

Result<TcpListener> tcp_listen(const TcpOptions& options) {
    return in_namespace_get<TcpListener>(options.local_namespace,
                                         [&] { return listen_here(options); });
}

Result<TcpPair> tcp_connect(const TcpListener& listener, const TcpOptions& options) {
    auto pair = connect_once(listener, options);
    if (!pair || pair->peer_port != pair->receiver_port) return pair;
    // The kernel happened to choose the same number at both ends. The oracle tells the directions
    // of a connection apart by their ports, so another one is taken while this one keeps its port.
    return connect_once(listener, options);
}

Result<TcpPair> tcp_pair(const TcpOptions& options) {
    auto listener = tcp_listen(options);
    if (!listener) return listener.error();
    return tcp_connect(*listener, options);
}

}  // namespace zcrxlab
