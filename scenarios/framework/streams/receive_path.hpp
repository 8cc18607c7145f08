// ReceivePath: one way that streams take to the user: a ring, an ifq on a queue, a receiver, and
// the peers.
//
// On a target with a NIC the rx takes a queue of its own and steers its connections there; on
// `nodev` the same scenario runs over loopback. A rx belongs to the thread that made it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/net/peer.hpp"
#include "harness/net/tcp.hpp"
#include "harness/ring/ifq.hpp"
#include "harness/ring/receiver.hpp"
#include "harness/ring/ring.hpp"
#include "scenarios/framework/facts.hpp"
#include "scenarios/framework/scene.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"
#include "scenarios/framework/streams/queue_count.hpp"

namespace zcrxlab {

struct ReceivePathOptions {
    RingOptions ring = {};
    IfqOptions ifq = {};  // number, interface and queue are filled in
    ReceiverOptions receiver = {};
    std::optional<uint32_t> queue = {};  // empty: the next one that no rx of the scene has
    bool steer = true;                   // false: no flow rule, packets go where they like
    bool nodev = false;                  // ZCRX_REG_NODEV, also where there is a NIC
    bool left_armed = false;             // the ring is closed while requests are under way
    // Why its buffers are not counted where each ifq is (--count always); empty: they are.
    std::optional<Uncounted> uncounted = {};
    // How the request becomes an ifq; empty: Ifq::open(). For one that is changed before.
    std::function<Result<std::unique_ptr<Ifq>>(Ring&, std::unique_ptr<IfqRequest>)> open = {};
};

struct StreamPlan {
    uint64_t bytes = 1;
    std::vector<uint32_t> chunks = {65536};  // bytes of each write of the peer, used in turn
    uint8_t family = 4;
    PeerEnd end = PeerEnd::kFin;
    std::optional<uint64_t> rate = {};  // bytes per second
    TcpOptions tcp = {};  // what it leaves empty of addresses and namespaces is filled in
    std::function<void(std::span<std::byte> bytes, uint64_t position)> damage = {};
    bool armed = true;                             // false: no request until arm()
    std::function<void(int socket)> prepare = {};  // the peer's socket, before anything is sent
};

class ReceivePath {
  public:
    explicit ReceivePath(Scene& scene, ReceivePathOptions options = {});
    // In order: ends the requests (but with `left_armed`), counts the buffers (with --count
    // always), stops the peers, closes the connections, and the ring. Behind close_ring(): stops
    // the peers and closes the connections.
    ~ReceivePath();
    ReceivePath(const ReceivePath&) = delete;
    ReceivePath& operator=(const ReceivePath&) = delete;

    // Opens a connection, arms a request on it and starts its peer; the number of the stream.
    uint32_t connect(const StreamPlan& plan);
    // The first request of a stream that was connected without one.
    void arm(uint32_t stream);
    // Lets 4 MiB wait in the socket. However short a segment is, it counts as the buffer of the
    // area that it takes, and the window closes when the receive buffer is full of those.
    void make_room(uint32_t stream);
    // Waits until so many bytes of a stream lie in the socket; fails if they do not in time.
    void wait_for_queued(uint32_t stream, uint64_t bytes);
    // Runs until every stream has ended with all of its bytes. If the scenario's time is up before,
    // it fails and says how far each stream came.
    void receive_all();
    // Runs until all streams together have received `bytes`; fails in the same way, or as soon as a
    // stream has a byte that its peer did not send.
    void receive(uint64_t bytes);
    // Runs until this stream has ended, with whatever result; fails as receive_all() does.
    void receive_until_end(uint32_t stream);
    // I5: sends more than the area holds, keeps everything, and counts the buffers it gets. Call
    // when every other stream has ended.
    void measure_capacity(const CapacityOptions& options = {});
    // From here on what comes goes back as soon as it was checked, and requests have no limit; how
    // the receiver was set up otherwise stays, a stall is noticed as before.
    void return_at_once();
    // Forgets what the receiver holds, which then never goes back; every stream must have ended.
    void forget_held();
    // Closes the ring first, in the middle of all that is under way: peers go on sending into
    // connections that stay open until the path goes. What is behind this: the peers and sockets,
    // and abandon() before it.
    void close_ring();
    // The streams end here, in the middle, because the scenario wants it so.
    void abandon() { receiver_->finish(false); }

    Ring& ring() { return *ring_; }
    Ifq& ifq() { return *ifq_; }
    Receiver& receiver() { return *receiver_; }
    Peer& peer(uint32_t stream) { return *peers_.at(stream).peer; }
    // The receiving socket of a stream, and the seed of its pattern.
    int socket(uint32_t stream) const { return peers_.at(stream).receiver.get(); }
    uint64_t seed(uint32_t stream) const { return scene_.seed(stream); }
    // "its socket is CLOSE POLLIN POLLHUP", as TCP and poll have it: a request that waits although
    // its socket has come to an end was not woken.
    std::string socket_state(uint32_t stream) const;
    uint32_t queue() const { return queue_; }
    // QueueBuffers::text().
    std::string buffers_of_device() const;

  private:
    bool on_device() const { return scene_.has_device() && !options_.nodev; }
    struct Connection {
        Fd receiver;
        std::unique_ptr<Peer> peer;
    };
    TcpOptions tcp_options(const StreamPlan& plan);
    // Lets no more wait in a socket than half of what the area has beyond the driver's own buffers.
    void bound_unread(int socket);
    // A listening socket of the family whose packets are steered to the queue.
    TcpListener& listener(const StreamPlan& plan);
    void wind_up();
    void count_uncounted();
    void leave_connections();
    void leave_ring(bool interrupted);
    bool any_wrong_byte() const;
    std::string progress() const;
    QueueBuffers device_buffers() const;
    std::optional<uint64_t> not_left();
    // Of a driver that keeps buffers; empty of others.
    std::string driver_buffers(ComplaintFacts& facts) const;
    // Says how far the first stream came that has not ended, and who has the buffers.
    [[noreturn]] void give_up(const std::string& sentence, ComplaintKind kind);
    [[noreturn]] void leave(const std::string& sentence, const ComplaintFacts& facts);

    Scene& scene_;
    ReceivePathOptions options_;
    uint32_t queue_ = 0;
    uint32_t kept_by_driver_ = 0;  // buffers_kept_by_driver()
    uint64_t not_replaced_ = 0;    // packets_without_replacement() before the ifq
    std::optional<QueueCount> count_;
    uint64_t bytes_counted_ = 0;  // received until its buffers were counted last
    std::optional<Ring> ring_;
    std::unique_ptr<Ifq> ifq_;
    std::unique_ptr<Receiver> receiver_;
    std::map<uint8_t, TcpListener> listeners_;  // by family
    std::map<uint32_t, Connection> peers_;      // by stream
};

}  // namespace zcrxlab
