// Sends and receives one connection in one thread.
#include "scenarios/framework/streams/single_thread_stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "harness/base/errno_name.hpp"
#include "harness/net/peer.hpp"
#include "harness/ring/pattern.hpp"
#include "scenarios/framework/streams/buffer_count.hpp"

namespace zcrxlab {

namespace {

TcpOptions ends_of(Scene& scene, const Ifq& ifq) {
    TcpOptions options;
    options.timeout = scene.time_to_connect();
    if (ifq.nodev()) {
        options.local = options.peer = "127.0.0.1";
    } else {
        options.local = scene.endpoints().local_v4;
        options.peer = scene.endpoints().peer_v4;
        options.peer_namespace = scene.endpoints().peer_namespace;
    }
    return options;
}

// A connection whose packets go to the queue of the ifq, if it has one.
TcpPair connect(Scene& scene, const Ifq& ifq, uint32_t stream) {
    const TcpOptions ends = ends_of(scene, ifq);
    const TcpListener listener = scene.must(tcp_listen(ends));
    if (!ifq.nodev()) {
        FlowRule rule;
        rule.family = 4;
        rule.destination_port = listener.port;
        rule.queue = ifq.options().queue;
        scene.steer(rule);
    }
    return scene.must(open_stream(listener, ends, stream, scene.seed(), scene.trace()));
}

}  // namespace

SingleThreadStream::SingleThreadStream(Scene& scene, Ring& ring, uint32_t zcrx_id, Ifq& ifq)
    : scene_(scene),
      ifq_(ifq),
      zcrx_id_(zcrx_id),
      count_(scene, ifq),
      stream_(scene.next_stream()),
      pair_(connect(scene, ifq, stream_)),
      receiver_(ring, scene.trace()) {
    receiver_.on_data = [this](uint32_t, const Completion& completion, auto payload) {
        if (payload.empty())
            scene_.give_up("A CQE names bytes outside the area: offset " +
                           std::to_string(completion.offset) + ".");
        const uint64_t last = (completion.offset & uapi::kZcrxOffsetMask) + payload.size() - 1;
        highest_ = std::max(highest_, last);
    };
    scene.must(receiver_.add(stream_, pair_.receiver.get(), ifq, scene.seed(), 0, zcrx_id));
    scene.must(ring.submit());
}

SingleThreadStream::~SingleThreadStream() {
    if (gave_up(scene_.must(receiver_.wind_up(scene_.time_left()))))
        scene_.give_up("A cancelled request did not end in time.");
    receiver_.finish();
    if (scene_.counts_always() && counted_ && position_ != 0) count_buffers_of_ifq();
    count_.record();
}

void SingleThreadStream::count_buffers_of_ifq() {
    pair_ = {};
    receiver_.sockets_closed();
    receiver_.on_data = {};
    const uint32_t stream = scene_.next_stream();
    if (auto failed = count_buffers(scene_, receiver_, ifq_, stream, connect(scene_, ifq_, stream),
                                    {}, zcrx_id_))
        scene_.give_up(failed->sentence, failed->facts);
}

void SingleThreadStream::leave_uncounted(Uncounted why) {
    scene_.trace().add(BuffersNotCounted{ifq_.number(), why});
    counted_ = false;
}

void SingleThreadStream::keep_what_comes() {
    receiver_.options().returns = ReturnPolicy::kNever;
    leave_uncounted(Uncounted::kNotConserved);
}

void SingleThreadStream::send_and_expect(size_t bytes, bool compare) {
    const Pattern pattern(scene_.seed());
    std::vector<std::byte> sent(bytes);
    pattern.fill(sent, position_);
    ASSERT_EQ(send(pair_.peer.get(), sent.data(), bytes, MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes));
    position_ += bytes;
    scene_.trace().add(PeerSent{stream_, position_});
    receiver_.options().compare = compare;
    const RunEnd end =
        scene_.must(receiver_.run_until_bytes(stream_, position_, scene_.time_left()));
    if (end == RunEnd::kSatisfied) return;
    const StreamState& state = receiver_.state(stream_);
    const std::string why = state.ended
                                ? "the request ended with " + result_name(state.final_result)
                                : "no more came in time";
    scene_.give_up("Only " + std::to_string(state.bytes) + " of " + std::to_string(position_) +
                   " bytes were received: " + why + ".");
}

}  // namespace zcrxlab
