// MessageReader: cuts a stream of bytes and file descriptors into vfio-user messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"
#include "nic/transport/protocol.hpp"

namespace zcrxlab::nic::vfio_user {

struct Message {
    Header header{};
    std::span<const std::byte> payload;  // behind the header; valid until the reader is fed again
    std::vector<Fd> fds;
    bool fds_lost = false;  // it came with more than could be received
};

// Use: receive into space(), then commit(), then next() until it has none.
class MessageReader {
  public:
    MessageReader();

    // Room for the next bytes, never empty as long as next() is called until it has none.
    std::span<std::byte> space();
    // `size` bytes were put into space(), and these descriptors came with them. As recvmsg(2)
    // stops behind bytes that carried descriptors (unix(7)), they belong to the last message that
    // begins in these bytes.
    void commit(size_t size, std::vector<Fd> fds, bool fds_lost);

    // The next whole message, or nothing yet. EPROTO: a header with an impossible size; the stream
    // cannot be understood from here on.
    Result<std::optional<Message>> next();

  private:
    struct Arrival {
        uint64_t end = 0;  // position in the stream behind the bytes it came with
        std::vector<Fd> fds;
        bool lost = false;
    };

    std::vector<std::byte> buffer_;
    size_t begin_ = 0;       // first byte in buffer_ not yet given out
    size_t end_ = 0;         // behind the last byte received
    uint64_t position_ = 0;  // of buffer_[begin_] in the stream
    std::deque<Arrival> arrivals_;
};

}  // namespace zcrxlab::nic::vfio_user
