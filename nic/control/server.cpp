// ControlServer: the control channel's UNIX socket and its clients.
#include "nic/control/server.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace zcrxlab::nic {
namespace {

constexpr int kEventsInOneGo = 16;

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

Result<std::unique_ptr<ControlServer>> ControlServer::listen(const std::string& path,
                                                             Commands& commands) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path))
        return Error{ENAMETOOLONG,
                     "The socket path \"" + path + "\" has " + std::to_string(path.size()) +
                         " bytes; 1 to 107 are possible. Choose a shorter directory."};
    std::memcpy(address.sun_path, path.data(), path.size());
    std::unique_ptr<ControlServer> server(new ControlServer(commands));
    server->epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!server->epoll_) return error_from_errno("epoll_create1");
    server->listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!server->listener_) return error_from_errno("socket(AF_UNIX)");
    int listener = server->listener_.get();
    if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
        Error error = error_from_errno("bind to " + path);
        if (error.code == EADDRINUSE) error.sentence += ". If nobody uses it, type: rm " + path;
        return error;
    }
    server->path_ = path;
    // Nobody can connect before listen(), so this is in time.
    if (::chmod(path.c_str(), 0600) != 0) return error_from_errno("chmod of " + path);
    if (::listen(listener, 16) != 0) return error_from_errno("listen on " + path);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = listener;
    if (::epoll_ctl(server->epoll_.get(), EPOLL_CTL_ADD, listener, &event) != 0)
        return error_from_errno("epoll_ctl for " + path);
    return server;
}

ControlServer::~ControlServer() {
    if (!path_.empty()) ::unlink(path_.c_str());
}

void ControlServer::on_readable() {
    std::array<epoll_event, kEventsInOneGo> events{};
    int count = ::epoll_wait(epoll_.get(), events.data(), kEventsInOneGo, 0);
    for (int i = 0; i < count; ++i) {
        int fd = events[static_cast<size_t>(i)].data.fd;
        if (fd == listener_.get()) {
            accept_clients();
            continue;
        }
        auto at = clients_.find(fd);
        if (at == clients_.end()) continue;
        if (!serve(*at->second, events[static_cast<size_t>(i)].events)) clients_.erase(at);
    }
}

void ControlServer::accept_clients() {
    for (int i = 0; i < kEventsInOneGo; ++i) {
        Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket) return;
        if (clients_.size() >= kMaximumClients) {
            std::string line = refusal("There are too many clients; close another one.") + "\n";
            (void)::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL);
            continue;
        }
        int fd = socket.get();
        auto client = std::make_unique<Client>(std::move(socket), commands_);
        epoll_event event{};
        event.events = client->watched = EPOLLIN;
        event.data.fd = fd;
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) continue;
        clients_.emplace(fd, std::move(client));
    }
}

bool ControlServer::serve(Client& client, uint32_t events) {
    Session& session = client.session;
    if ((events & EPOLLERR) != 0) return false;
    if (size_t room = session.room(); room != 0) {
        std::array<char, 16384> buffer;
        ssize_t count =
            ::recv(client.socket.get(), buffer.data(), std::min(room, buffer.size()), 0);
        if (count == 0 || (count < 0 && !would_block())) return false;
        if (count > 0) session.feed({buffer.data(), static_cast<size_t>(count)});
    }
    auto output = session.output();
    if (!output.empty()) {
        ssize_t count = ::send(client.socket.get(), output.data(), output.size(), MSG_NOSIGNAL);
        if (count < 0 && !would_block()) return false;
        if (count > 0) session.sent(static_cast<size_t>(count));
    }
    return watch(client);
}

bool ControlServer::watch(Client& client) {
    // A client that hangs up while it is owed bytes shows as a failing send.
    uint32_t wanted = client.session.output().empty() ? EPOLLIN : EPOLLOUT;
    if (wanted == client.watched) return true;
    epoll_event event{};
    event.events = client.watched = wanted;
    event.data.fd = client.socket.get();
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, client.socket.get(), &event) == 0;
}

}  // namespace zcrxlab::nic
