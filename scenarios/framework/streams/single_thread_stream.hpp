// SingleThreadStream: a connection whose bytes are sent and received in one thread, through any
// ring that has the instance. For what a ReceivePath cannot do: imports, strange areas.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/receiver.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/queue_count.hpp"

namespace zcrxlab {

class SingleThreadStream {
  public:
    // Connects, steered to the queue of `ifq` where it has one, over loopback where it has none,
    // and arms a request on `ring`, where the instance is called `zcrx_id`.
    SingleThreadStream(Scene& scene, Ring& ring, uint32_t zcrx_id, Ifq& ifq);
    // Ends the request, counts the buffers (with --count always), and says what its queue counted.
    ~SingleThreadStream();
    SingleThreadStream(const SingleThreadStream&) = delete;
    SingleThreadStream& operator=(const SingleThreadStream&) = delete;

    // Sends so many bytes (fewer than the sockets hold), waits for all of them, compares them with
    // what was sent unless `compare` is false, and gives the buffers back.
    void send_and_expect(size_t bytes, bool compare = true);
    // From now on nothing goes back, and what it holds by its end is left to its ring.
    void keep_what_comes();
    // The highest offset of a byte that was received.
    uint64_t highest_offset() const { return highest_; }
    // CQEs of the ring that are not of its requests.
    std::vector<Completion> take_other() { return receiver_.take_other(); }
    // Its buffers are not counted, and why.
    void leave_uncounted(Uncounted why);

  private:
    void count_buffers_of_ifq();

    Scene& scene_;
    Ifq& ifq_;
    uint32_t zcrx_id_;
    bool counted_ = true;  // where each ifq is
    QueueCount count_;
    uint32_t stream_;
    TcpPair pair_;
    Receiver receiver_;
    uint64_t position_ = 0;  // of the next byte
    uint64_t highest_ = 0;
};

}  // namespace zcrxlab
