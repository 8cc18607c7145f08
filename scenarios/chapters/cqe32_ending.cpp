// Chapter cqe32: how requests end with their stream: EOF, reset and half-close, in every order
// against data.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::cqe32_ending {
namespace {

using namespace std::chrono_literals;

// Until the peer's FIN or RST has reached the socket.
void wait_for_end(Scene& scene, int socket) {
    pollfd end{socket, POLLRDHUP, 0};
    if (::poll(&end, 1, scene.milliseconds_left()) != 1)
        scene.give_up("The end of the stream never came to its socket.");
}

struct Ending {
    const char* name;
    uint64_t bytes;
    PeerEnd end;
    bool before_arming;  // data and end lie in the socket before the request comes
    int result;
};
constexpr Ending kEndings[] = {
    {"fin", 50000, PeerEnd::kFin, false, 0},
    {"fin_alone", 0, PeerEnd::kFin, false, 0},
    {"fin_first", 50000, PeerEnd::kFin, true, 0},
    {"fin_alone_first", 0, PeerEnd::kFin, true, 0},
    {"one_byte_and_fin_first", 1, PeerEnd::kFin, true, 0},
    {"reset", 5000, PeerEnd::kReset, false, -ECONNRESET},
    {"reset_alone", 0, PeerEnd::kReset, false, -ECONNRESET},
    {"reset_alone_first", 0, PeerEnd::kReset, true, -ECONNRESET},
    {"reset_first", 5000, PeerEnd::kReset, true, -ECONNRESET},
};

SCENARIO_TABLE(cqe32, ending,
               "all that came before the end is delivered, then the request ends once with its "
               "reason, and a further one with 0",
               Terms(Needs{}).claims({"cqe32.final-eof", "cqe32.final-reset", "cqe32.one-final"}),
               kEndings, row) {
    ReceivePath rx(scene);
    const uint32_t stream =
        rx.connect({.bytes = row.bytes, .end = row.end, .armed = !row.before_arming});
    int queued = 0;
    if (row.before_arming) {
        wait_for_end(scene, rx.socket(stream));
        ASSERT_EQ(::ioctl(rx.socket(stream), FIONREAD, &queued), 0);
        rx.arm(stream);
    }
    rx.receive_all();
    const StreamState& state = rx.receiver().state(stream);
    EXPECT_EQ(state.final_result, row.result);
    EXPECT_EQ(state.final_cqes, 1U);
    EXPECT_GE(state.bytes, static_cast<uint64_t>(queued));
    EXPECT_TRUE(row.end == PeerEnd::kReset || state.bytes == row.bytes);

    scene.must(rx.receiver().arm(stream));
    scene.must(rx.receiver().run(scene.time_left()));
    EXPECT_EQ(rx.receiver().state(stream).final_result, 0);
}

struct FoundEnd {
    const char* name;
    PeerEnd end;
    int result;
};
constexpr FoundEnd kFoundEnds[] = {
    {"fin", PeerEnd::kFin, 0},
    {"reset", PeerEnd::kReset, -ECONNRESET},
};

SCENARIO_TABLE(cqe32, end_found_waiting,
               "a request that waits before it reads, and finds data and the end of the stream, "
               "delivers all of the data and ends once",
               Terms(Needs{}).claims({"cqe32.final-eof", "cqe32.final-reset", "cqe32.one-final"}),
               kFoundEnds, row) {
    ReceivePath rx(scene, {.receiver = {.poll_first = true}});
    const uint32_t stream = rx.connect({.bytes = 5000, .end = row.end, .armed = false});
    wait_for_end(scene, rx.socket(stream));
    scene.done("pause ms=200");
    int queued = 0;
    ASSERT_EQ(::ioctl(rx.socket(stream), FIONREAD, &queued), 0);
    rx.arm(stream);
    const StreamState& state = rx.receiver().state(stream);
    scene.must(
        rx.receiver().run_until_bytes(stream, static_cast<uint64_t>(queued), scene.time_left()));
    // What it waits for is there.
    scene.must(rx.receiver().run(scene.scaled(1s)));
    scene.done("wait s" + std::to_string(stream) + " final=any within=1000");
    EXPECT_TRUE(state.ended) << "The request waits, and " << rx.socket_state(stream);
    EXPECT_EQ(state.bytes, static_cast<uint64_t>(queued));
    if (state.ended) {
        EXPECT_EQ(state.final_result, row.result);
        EXPECT_EQ(state.final_cqes, 1U);
    }
    rx.abandon();
}

SCENARIO(cqe32, half_closed_receiver,
         "a receiver that has shut down its sending side still gets the whole stream",
         Terms(Needs{}).claims({"cqe32.final-eof"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1 << 20});
    ASSERT_EQ(::shutdown(rx.socket(stream), SHUT_WR), 0);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1U << 20);
}

SCENARIO(cqe32, socket_closed_while_armed,
         "a request outlives the descriptor of its socket and delivers to the end",
         Terms(Needs{}).claims({"cqe32.one-final", "cqe32.final-eof"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1 << 20, .armed = false});
    const int borrowed = ::dup(rx.socket(stream));
    ASSERT_GE(borrowed, 0);
    scene.must(rx.receiver().add(stream, borrowed, rx.ifq(), rx.seed(stream)));
    scene.must(rx.ring().submit());
    ::close(borrowed);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1U << 20);
}

}  // namespace
}  // namespace zcrxlab::cqe32_ending
