// Chapter cqe32, ways to submit a request, and what happens to its socket while it waits.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "scenarios/chapters/cqe32_requests.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::cqe32_submission {
namespace {

constexpr uint64_t kBytes = 100000;

// ---- registered files

SCENARIO(cqe32, fixed_file,
         "a request on a registered file delivers to the end, also after the file was unregistered",
         Terms(Needs{}).claims({"cqe32.fixed-file"})) {
    ReceivePath rx(scene, {.receiver = {.change = [](io_uring_sqe& sqe) {
                               sqe.fd = 0;  // the index of the file
                               sqe.flags |= IOSQE_FIXED_FILE;
                           }}});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    int file = rx.socket(stream);
    ASSERT_EQ(rx.ring().register_raw(IORING_REGISTER_FILES, &file, 1), 0);
    rx.arm(stream);
    rx.receiver().options().change = {};
    rx.peer(stream).send_more(kBytes);
    rx.receive(kBytes);
    ASSERT_EQ(rx.ring().register_raw(IORING_UNREGISTER_FILES, nullptr, 0), 0);
    rx.peer(stream).send_more(kBytes);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, 2 * kBytes);
    EXPECT_EQ(rx.receiver().state(stream).requests, 1U);
}

// ---- links

constexpr uint64_t kBehind = 8;  // user_data of what is linked behind a request

SCENARIO(
    cqe32, linked,
    "a request that is linked behind another operation waits for it, and what is linked behind "
    "the request waits for its final CQE",
    Terms(Needs{}).claims({"cqe32.linked"})) {
    ReceivePath rx(scene, {.uncounted = Uncounted::kNotConserved});
    scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kNoPositions});
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    io_uring_sqe& first = *scene.must(rx.ring().next_sqe());
    first.opcode = uapi::kOpNop;
    first.flags = IOSQE_IO_LINK;
    first.user_data = kBehind;
    rx.receiver().expect_other(kBehind, "nop");
    request_on(scene, rx, rx.socket(stream)).flags = IOSQE_IO_LINK;
    io_uring_sqe& last = *scene.must(rx.ring().next_sqe());
    last.opcode = uapi::kOpNop;
    last.user_data = kBehind;
    rx.receiver().expect_other(kBehind, "nop");
    EXPECT_EQ(next_completion(scene, rx).user_data, kBehind);
    rx.peer(stream).send_more(5000);
    uint64_t bytes = 0;
    bool ended = false;
    const auto read_one = [&] {
        const Completion cqe = next_completion(scene, rx);
        if (cqe.user_data != kOwnRequest) scene.give_up("What was linked behind came first.");
        ended = (cqe.flags & uapi::kCqeMore) == 0;
        EXPECT_TRUE(cqe.result > 0 || ended);
        bytes += static_cast<uint64_t>(std::max(cqe.result, 0));
    };
    while (bytes < 5000 && !ended) read_one();
    rx.peer(stream).end(PeerEnd::kFin);
    while (!ended) read_one();
    EXPECT_EQ(bytes, 5000U);
    EXPECT_EQ(next_completion(scene, rx).user_data, kBehind);
    scene.must(rx.receiver().catch_up());
    EXPECT_TRUE(rx.receiver().take_other().empty());
    scene.trace().add(StreamFinished{stream, false});
}

// ---- the socket of a request that waits

SCENARIO(cqe32, low_watermark, "a socket that is only readable from many bytes on loses none",
         Terms(Needs{}).claims({"cqe32.low-watermark"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    const int least = 30000;
    ASSERT_EQ(::setsockopt(rx.socket(stream), SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least), 0);
    rx.arm(stream);
    scene.must(rx.ring().submit());
    rx.peer(stream).send_more(10000);
    rx.wait_for_queued(stream, 10000);
    scene.must(rx.receiver().catch_up());
    EXPECT_EQ(rx.receiver().state(stream).bytes, 0U) << "It was woken below the low watermark.";
    rx.peer(stream).send_more(kBytes - 10000);
    rx.peer(stream).end(PeerEnd::kFin);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, kBytes);
}

SCENARIO(cqe32, disconnected,
         "a socket that is disconnected ends its request once, with -ECONNRESET",
         Terms(Needs{}).claims({"cqe32.disconnected"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 5000, .end = PeerEnd::kIdle});
    rx.receive(5000);
    sockaddr nowhere{};
    nowhere.sa_family = AF_UNSPEC;
    ASSERT_EQ(::connect(rx.socket(stream), &nowhere, sizeof nowhere), 0);
    const StreamState& state = rx.receiver().state(stream);
    scene.must(rx.receiver().run(scene.time_left() / 2, [&] { return state.ended; }));
    EXPECT_TRUE(state.ended) << "The request waits, and " << rx.socket_state(stream);
    EXPECT_EQ(state.final_cqes, 1U);
    EXPECT_EQ(state.final_result, -ECONNRESET);
    rx.abandon();
}

// ---- worker threads

SCENARIO(cqe32, ring_closed_while_in_workers,
         "a ring that is closed while worker threads have its requests frees its queue",
         Terms(Needs{.queues = 1}).claims({"teardown.close"})) {
    constexpr unsigned kStreams = 8;
    std::vector<uint32_t> streams;
    uint32_t queue = 0;
    {
        ReceivePath rx(scene,
                       {.receiver = {.change = [](io_uring_sqe& sqe) { sqe.flags |= IOSQE_ASYNC; }},
                        .left_armed = true});
        queue = rx.queue();
        for (unsigned i = 0; i < kStreams; ++i)
            streams.push_back(rx.connect({.bytes = 60000, .end = PeerEnd::kIdle, .armed = false}));
        for (const uint32_t stream : streams) rx.wait_for_queued(stream, 60000);
        for (const uint32_t stream : streams) rx.arm(stream);
        scene.must(rx.ring().submit());
        rx.close_ring();
        for (const uint32_t stream : streams) scene.trace().add(StreamFinished{stream, false});
    }
    if (scene.has_device()) scene.wait_for_release(queue);
}

}  // namespace
}  // namespace zcrxlab::cqe32_submission
