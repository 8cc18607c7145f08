// A stream without end, a count, and the end of the stream.
#include "scenarios/framework/streams/buffer_count.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "harness/net/peer.hpp"
#include "scenarios/framework/streams/queue_buffers.hpp"

namespace zcrxlab {

namespace {

// Before the peer goes: its reset may fit where its data does not, and wakes the driver. `device`
// is what the queue had when it was polled already.
CountFailed failed(Scene& scene, const Receiver& receiver, const Ifq& ifq, int socket,
                   const Error& error, QueueBuffers device) {
    if (!ifq.nodev() && !device.withheld())
        device = buffers_when_polled(scene, ifq.options().queue, socket);
    // ETIMEDOUT is for buffers that did not come.
    ComplaintFacts facts{.kind = error.code == ETIMEDOUT ? ComplaintKind::kNotEmptied
                                                         : ComplaintKind::kOther};
    facts.buffers = static_cast<int64_t>(ifq.buffers());
    facts.held = static_cast<int64_t>(receiver.held());
    device.add_to(facts);
    return {error.sentence + device.text(), facts};
}

}  // namespace

std::optional<CountFailed> count_buffers(Scene& scene, Receiver& receiver, Ifq& ifq,
                                         uint32_t stream, TcpPair pair,
                                         const CapacityOptions& options,
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
    // As many at once as the driver keeps, or it takes a round for each part of them.
    if (!ifq.nodev()) scaled.pushed += buffers_kept_by_driver(scene);
    QueueBuffers device;
    scaled.withheld = [&] {
        device = buffers_when_polled(scene, ifq.options().queue, pair.receiver.get());
        return device.withheld();
    };
    if (auto measured = receiver.measure_capacity(ifq, scaled); !measured)
        return failed(scene, receiver, ifq, pair.receiver.get(), measured.error(), device);
    peer.stop();
    // An armed request keeps its socket open, and the data in it keeps the page pool from going.
    if (receiver.state(stream).armed) {
        scene.must(receiver.cancel(stream));
        const RunEnd end = scene.must(
            receiver.run(scene.time_left(), [&] { return receiver.state(stream).ended; }));
        if (gave_up(end))
            return failed(scene, receiver, ifq, pair.receiver.get(),
                          {EBUSY, "A cancelled request did not end in time."}, device);
    }
    scene.trace().add(StreamFinished{stream, false});
    scene.must(receiver.return_held());
    receiver.options() = saved;
    return std::nullopt;
}

}  // namespace zcrxlab
