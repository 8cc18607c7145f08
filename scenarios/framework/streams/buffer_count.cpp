// A stream without end, a count, and the end of the stream.
#include "scenarios/framework/streams/buffer_count.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "harness/net/peer.hpp"

namespace zcrxlab {

Result<void> count_buffers(Scene& scene, Receiver& receiver, Ifq& ifq, uint32_t stream,
                           TcpPair pair, const CapacityOptions& options,
                           std::optional<uint32_t> zcrx_id) {
    // A queue that is silent takes no answer to a FIN either, and what waits behind a hole would
    // stay for as long as TCP asks again (teardown.hole_in_closed_socket).
    const linger at_once{1, 0};
    ::setsockopt(pair.receiver.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    const ReceiverOptions saved = receiver.options();
    // Plain requests, each of which goes on for as long as there is a buffer.
    receiver.options().limit = 0;
    receiver.options().rearm = true;
    receiver.options().poll_first = false;
    receiver.options().change = {};
    const uint64_t seed = scene.seed(stream);
    scene.must(receiver.add(stream, pair.receiver.get(), ifq, seed, 0, zcrx_id));
    PeerPlan plan;
    plan.stream = stream;
    plan.seed = seed;
    plan.total = UINT64_MAX;
    plan.end = PeerEnd::kReset;
    Peer peer(std::move(pair.peer), std::move(plan), scene.trace());

    CapacityOptions scaled = options;
    scaled.timeout = scene.time_left();
    scaled.pause = scene.scaled(options.pause);
    if (auto measured = receiver.measure_capacity(ifq, scaled); !measured) return measured.error();
    peer.stop();
    // An armed request keeps its socket open, and the data in it keeps the page pool from going.
    if (receiver.state(stream).armed) {
        scene.must(receiver.cancel(stream));
        const RunEnd end = scene.must(
            receiver.run(scene.time_left(), [&] { return receiver.state(stream).ended; }));
        // ETIMEDOUT is for buffers that did not come.
        if (gave_up(end)) return Error{EBUSY, "A cancelled request did not end in time."};
    }
    scene.trace().add(StreamFinished{stream, false});
    scene.must(receiver.return_held());
    receiver.options() = saved;
    return {};
}

}  // namespace zcrxlab
