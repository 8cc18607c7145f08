// Sends and receives one connection in one thread.
#include "scenarios/framework/streams/single_thread_stream.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

#include "harness/base/errno_name.hpp"
#include "harness/ring/pattern.hpp"

namespace zcrxlab {

namespace {

TcpOptions ends_of(Scene& scene, const Ifq& ifq) {
    TcpOptions options;
    if (ifq.nodev()) {
        options.local = options.peer = "127.0.0.1";
    } else {
        options.local = scene.endpoints().local_v4;
        options.peer = scene.endpoints().peer_v4;
        options.peer_namespace = scene.endpoints().peer_namespace;
    }
    return options;
}

}  // namespace

SingleThreadStream::SingleThreadStream(Scene& scene, Ring& ring, uint32_t zcrx_id, Ifq& ifq)
    : scene_(scene), ring_(ring), zcrx_id_(zcrx_id), ifq_(ifq) {
    const TcpOptions ends = ends_of(scene, ifq);
    const TcpListener listener = scene.must(tcp_listen(ends));
    if (!ifq.nodev()) {
        FlowRule rule;
        rule.family = 4;
        rule.destination_port = listener.port;
        rule.queue = ifq.options().queue;
        scene.steer(rule);
    }
    pair_ = scene.must(tcp_connect(listener, ends));
    arm();
}

void SingleThreadStream::arm() {
    io_uring_sqe& entry = *scene_.must(ring_.next_sqe());
    entry.opcode = uapi::kOpRecvZc;
    entry.fd = pair_.receiver.get();
    entry.ioprio = uapi::kRecvMultishot;
    entry.splice_fd_in = static_cast<int32_t>(zcrx_id_);  // zcrx_ifq_idx
    scene_.must(ring_.submit());
}

void SingleThreadStream::send_and_expect(size_t bytes, bool compare) {
    const Pattern pattern(scene_.seed());
    std::vector<std::byte> sent(bytes);
    pattern.fill(sent, position_);
    ASSERT_EQ(send(pair_.peer.get(), sent.data(), bytes, MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes));
    std::vector<Completion> batch;
    size_t received = 0;
    while (received < bytes) {
        batch.clear();
        if (!scene_.must(ring_.wait(scene_.time_left())))
            scene_.give_up("Only " + std::to_string(received) + " of " + std::to_string(bytes) +
                           " bytes were received in time.");
        ring_.reap(batch);
        bool ended = false;
        for (const Completion& completion : batch) {
            if ((completion.flags & uapi::kCqeMore) == 0) {
                ended = true;
                if (completion.result != -ENOMEM && completion.result != -ENOSPC)
                    scene_.give_up("The request ended with " + errno_name(-completion.result) +
                                   " after " + std::to_string(received) + " bytes.");
                continue;
            }
            const auto length = static_cast<uint32_t>(completion.result);
            const auto payload = ifq_.payload(completion.offset, length);
            if (payload.size() != length)
                scene_.give_up("A CQE names bytes outside the area: offset " +
                               std::to_string(completion.offset) + ".");
            if (compare) {
                const auto wrong = pattern.compare(payload, position_ + received);
                EXPECT_FALSE(wrong.has_value())
                    << "The byte at " << (wrong ? wrong->position : 0)
                    << " of the stream is wrong; "
                    << "its CQE has the offset " << completion.offset << ".";
            }
            highest_ = std::max(highest_, (completion.offset & uapi::kZcrxOffsetMask) + length - 1);
            received += length;
            if (!ifq_.refill().push(completion.offset, length))
                scene_.give_up("The refill ring is full.");
            ifq_.refill().publish();
        }
        // Nothing else takes up entries without a NIC. The exporter's ring may be gone.
        uapi::ZcrxCtrl control{};
        control.zcrx_id = zcrx_id_;
        control_raw(ring_, control);
        if (ended) arm();
    }
    position_ += bytes;
}

}  // namespace zcrxlab
