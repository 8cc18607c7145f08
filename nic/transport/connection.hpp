// Connection: vfio-user messages on a connected UNIX stream socket that never blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/transport/message_reader.hpp"

namespace zcrxlab::nic::vfio_user {

class Connection {
  public:
    // `socket` is a connected AF_UNIX stream socket; blocking or not does not matter.
    explicit Connection(Fd socket) : socket_(std::move(socket)) {}

    enum class Received : uint8_t { kBytes, kNothing, kEnd };

    // Takes what one recvmsg(2) has, at most `most` bytes (not 0). Errors of recvmsg, but for
    // EAGAIN and EINTR.
    Result<Received> receive(size_t most);
    // As MessageReader::next(); call it until it has none before receive() is called again.
    Result<std::optional<Message>> next() { return reader_.next(); }

    // Sends the message, or keeps what the socket does not take. Errors of sendmsg; EPIPE and
    // ECONNRESET mean that the client is gone.
    Result<void> send(std::vector<std::byte> message);
    // Tries again to send what was kept.
    Result<void> flush();
    // Something is kept: wait for the socket to become writable, and receive nothing until then.
    bool blocked() const { return !unsent_.empty(); }

    int fd() const { return socket_.get(); }

  private:
    Fd socket_;
    MessageReader reader_;
    std::deque<std::vector<std::byte>> unsent_;
    size_t sent_ = 0;  // bytes of unsent_.front() that are gone
};

}  // namespace zcrxlab::nic::vfio_user
