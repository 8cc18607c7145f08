// LocalStream: one connection from this machine to itself.
#include "scenarios/framework/streams/local_stream.hpp"

namespace zcrxlab {

LocalStream::LocalStream(Scene& scene, ReceivePath& rx, const StreamPlan& plan)
    : stream_(scene.next_stream()) {
    TcpOptions ends = plan.tcp;
    ends.family = plan.family;
    ends.local = ends.peer = plan.family == 4 ? "127.0.0.1" : "::1";
    scene.done("connect s" + std::to_string(stream_) + " ifq=q" +
               std::to_string(rx.ifq().number()) + " route=loopback");
    const uint64_t seed = scene.seed(stream_);
    TcpPair pair = scene.must(open_stream(ends, stream_, seed, scene.trace()));
    receiver_ = std::move(pair.receiver);
    if (plan.armed) scene.must(rx.receiver().add(stream_, receiver_.get(), rx.ifq(), seed));
    PeerPlan sending;
    sending.stream = stream_;
    sending.seed = seed;
    sending.total = plan.bytes;
    sending.chunks = plan.chunks;
    sending.end = plan.end;
    peer_ = std::make_unique<Peer>(std::move(pair.peer), std::move(sending), scene.trace());
}

}  // namespace zcrxlab
