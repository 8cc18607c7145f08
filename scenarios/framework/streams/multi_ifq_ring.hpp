// A ring with several instances of zero-copy receive, and connections that rules take to their
// queues.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/buffer_count.hpp"
#include "scenarios/framework/streams/queue_count.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab {

// Where connections of a scenario begin and end: on the NIC, or on loopback without one.
inline TcpOptions connection_ends(Scene& scene, bool loopback = false) {
    TcpOptions options;
    options.local = options.peer = "127.0.0.1";
    if (loopback || !scene.has_device()) return options;
    options.local = scene.endpoints().local_v4;
    options.peer = scene.endpoints().peer_v4;
    options.peer_namespace = scene.endpoints().peer_namespace;
    return options;
}

// A connection whose packets a rule takes to the queue of a NIC that is prepared.
inline TcpPair connect_by_rule(Scene& scene, uint32_t queue) {
    const TcpListener listener = scene.must(tcp_listen(connection_ends(scene)));
    if (scene.has_device()) scene.steer({.destination_port = listener.port, .queue = queue});
    return scene.must(tcp_connect(listener, connection_ends(scene)));
}

// The same, and prepares the NIC.
inline TcpPair connect_to_queue(Scene& scene, uint32_t queue) {
    if (scene.has_device()) scene.prepare_nic();
    return connect_by_rule(scene, queue);
}

// A ring with any number of instances, whose connections come from elsewhere.
class MultiIfqRing {
  public:
    explicit MultiIfqRing(Scene& scene)
        : scene_(scene),
          ring_(scene.must(Ring::create())),
          receiver_(new Receiver(*ring_, scene.trace())) {}
    ~MultiIfqRing() {
        if (scene_.counts_always() && received_) count();
        if (gave_up(scene_.must(receiver_->wind_up(scene_.time_left()))))
            scene_.give_up("A cancelled request did not end in time.");
        for (QueueCount& count : counts_) count.record();
        for (auto& ifq : ifqs_) static_cast<void>(ifq->flush());
        flows_.clear();
        receiver_.reset();
        ring_.reset();
        for (auto& ifq : ifqs_) {
            const uint32_t number = ifq->number();
            ifq.reset();
            scene_.trace().add(RingClosed{number});
        }
    }
    MultiIfqRing(const MultiIfqRing&) = delete;
    MultiIfqRing& operator=(const MultiIfqRing&) = delete;

    // An instance on a queue of the NIC, which is prepared; without one, or with no queue, one
    // without a device.
    Ifq& open(std::optional<uint32_t> queue) {
        IfqOptions options;
        options.number = scene_.next_ifq();
        options.area_size = 8_MiB;
        if (queue && scene_.has_device()) {
            options.interface = scene_.endpoints().interface;
            options.queue = *queue;
        }
        ifqs_.push_back(scene_.must(Ifq::open(*ring_, options, &scene_.trace())));
        counts_.emplace_back(scene_, *ifqs_.back());
        return *ifqs_.back();
    }
    // Receives `bytes` over a connection through one of the instances.
    void add(Ifq& ifq, TcpPair pair, uint64_t bytes) {
        const uint32_t stream = scene_.next_stream();
        const uint64_t seed = scene_.seed(stream);
        scene_.trace().add(ConnectionOpened{stream, seed, 4, pair.peer_port, pair.receiver_port});
        scene_.must(receiver_->add(stream, pair.receiver.get(), ifq, seed));
        PeerPlan plan;
        plan.stream = stream;
        plan.seed = seed;
        plan.total = bytes;
        plan.chunks = {16000};
        flows_.push_back({std::move(pair.receiver),
                          std::make_unique<Peer>(std::move(pair.peer), plan, scene_.trace())});
        expected_ += bytes;
    }
    void receive_all() {
        if (gave_up(scene_.must(receiver_->run(scene_.time_left()))))
            leave("Only " + std::to_string(receiver_->total_bytes()) + " of " +
                  std::to_string(expected_) + " bytes came in time.");
        for (Flow& flow : flows_) scene_.must(flow.peer->wait());
        receiver_->finish();
        received_ = true;
        EXPECT_EQ(receiver_->total_bytes(), expected_);
    }
    Ring& ring() { return *ring_; }
    // Data comes through its instances that this ring does not receive.
    void received_elsewhere() { received_ = true; }

  private:
    // The buffers of each instance.
    void count() {
        flows_.clear();
        receiver_->sockets_closed();
        for (auto& ifq : ifqs_) {
            const uint32_t stream = scene_.next_stream();
            TcpPair pair = ifq->nodev() ? scene_.must(tcp_pair(connection_ends(scene_, true)))
                                        : connect_by_rule(scene_, ifq->options().queue);
            scene_.trace().add(ConnectionOpened{stream, scene_.seed(stream), 4, pair.peer_port,
                                                pair.receiver_port});
            if (auto failed = count_buffers(scene_, *receiver_, *ifq, stream, std::move(pair)))
                leave(failed->sentence, failed->facts);
        }
    }
    // That the streams are not whole is what the sentence says.
    [[noreturn]] void leave(const std::string& sentence, const ComplaintFacts& facts = {}) {
        receiver_->finish(false);
        for (QueueCount& count : counts_) count.record();
        scene_.give_up(sentence, facts);
    }
    struct Flow {
        Fd receiver;
        std::unique_ptr<Peer> peer;
    };
    Scene& scene_;
    std::optional<Ring> ring_;
    std::vector<std::unique_ptr<Ifq>> ifqs_;
    std::vector<QueueCount> counts_;  // of each
    std::unique_ptr<Receiver> receiver_;
    std::vector<Flow> flows_;
    uint64_t expected_ = 0;
    bool received_ = false;
};

}  // namespace zcrxlab
