// LocalStream: a stream over loopback into an ifq that may have a NIC, next to those of its rx.
#pragma once

#include <cstdint>
#include <memory>

#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

// Must go before its rx; the rx receives it.
class LocalStream {
  public:
    // Connects, arms a request, and starts sending. Of the plan: bytes, chunks, family, end, tcp.
    LocalStream(Scene& scene, ReceivePath& rx, const StreamPlan& plan);

    uint32_t stream() const { return stream_; }
    int socket() const { return receiver_.get(); }
    Peer& peer() { return *peer_; }

  private:
    uint32_t stream_;
    Fd receiver_;
    std::unique_ptr<Peer> peer_;
};

}  // namespace zcrxlab
