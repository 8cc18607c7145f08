// ControlServer: the control channel's UNIX socket and its clients, as one descriptor in an event
// loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/control/session.hpp"

namespace zcrxlab::nic {

class ControlServer {
  public:
    static constexpr size_t kMaximumClients = 64;  // more are turned away

    // Listens on a new socket at `path` (at most 107 bytes, mode 0600), removed when this goes.
    // Commands must outlive the server. Errors: as of socket, bind and listen.
    static Result<std::unique_ptr<ControlServer>> listen(const std::string& path,
                                                         Commands& commands);
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

    // Readable when on_readable() has something to do, waiting for room to send included.
    int fd() const { return epoll_.get(); }
    // Does a bounded amount of what can be done without blocking.
    void on_readable();
    size_t clients() const { return clients_.size(); }

  private:
    struct Client {
        Client(Fd on, Commands& commands) : socket(std::move(on)), session(commands) {}
        Fd socket;
        Session session;
        uint32_t watched = 0;  // epoll events
    };

    explicit ControlServer(Commands& commands) : commands_(commands) {}

    void accept_clients();
    // False: the client is gone.
    bool serve(Client& client, uint32_t events);
    bool watch(Client& client);

    Commands& commands_;
    std::string path_;
    Fd epoll_;
    Fd listener_;
    std::map<int, std::unique_ptr<Client>> clients_;  // by descriptor
};

}  // namespace zcrxlab::nic
