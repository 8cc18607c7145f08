// Server: serves one PciDevice to one vfio-user client, as one descriptor in an event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/transport/connection.hpp"
#include "nic/transport/endpoint.hpp"

namespace zcrxlab::nic::vfio_user {

// Use, one of each for every PCI function; several servers may share a loop:
//
//     DmaMap dma;
//     IrqVectors irq;
//     Model device(dma, irq, ...);                        // some PciDevice
//     auto server = Server::listen(path, device, dma, irq, log);
//     // epoll: server->fd() for EPOLLIN; when ready, server->on_readable()
//
// A server has one client in its life, since QEMU does not connect again.
class Server {
  public:
    enum class State : uint8_t {
        kListening,  // no client yet
        kConnected,
        kClosed,  // the client hung up or broke the protocol; nothing will happen any more
    };

    // Listens on a new UNIX socket at `path` (at most 107 bytes, mode 0600), which is removed when
    // the client has connected or the server goes. Device, map and vectors must outlive the server.
    // Errors: as of socket, bind and listen; EINVAL for an impossible device.
    static Result<std::unique_ptr<Server>> listen(const std::string& path, PciDevice& device,
                                                  DmaMap& dma, IrqVectors& irq, Log log = {});
    // Serves a client that is connected already.
    static Result<std::unique_ptr<Server>> serve(Fd socket, PciDevice& device, DmaMap& dma,
                                                 IrqVectors& irq, Log log = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Becomes readable when on_readable() has something to do, waiting for room to send included.
    // The same descriptor for the server's whole life; owned by it.
    int fd() const { return epoll_.get(); }

    // Does what can be done now, a bounded amount, without blocking. Returns kClosed when the
    // client has hung up. An error (EPROTO: the stream makes no sense; or that of the socket) means
    // that the server closed the connection; the state is kClosed from then on.
    Result<State> on_readable();

    State state() const { return state_; }
    // For the log and the control channel: name and value.
    std::vector<std::pair<std::string, uint64_t>> counters() const;

  private:
    Server(Endpoint endpoint, DmaMap& dma, IrqVectors& irq)
        : endpoint_(std::move(endpoint)), dma_(&dma), irq_(&irq) {}

    static Result<std::unique_ptr<Server>> create(PciDevice& device, DmaMap& dma, IrqVectors& irq,
                                                  Log log);
    Result<void> watch(int fd, uint32_t events, bool known);
    Result<void> accept_client();
    Result<void> connect(Fd socket);
    Result<State> exchange();
    // Handles the messages that are there, as long as their replies find room.
    Result<void> answer();
    void close();

    Endpoint endpoint_;
    DmaMap* dma_;
    IrqVectors* irq_;
    Fd epoll_;
    Fd listener_;
    std::string path_;  // not empty: to be removed
    std::optional<Connection> connection_;
    bool waiting_to_send_ = false;
    State state_ = State::kListening;
    uint64_t slowest_reply_ns_ = 0;
};

}  // namespace zcrxlab::nic::vfio_user
