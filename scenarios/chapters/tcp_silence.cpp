// Chapter tcp, peers that vanish: nothing arrives any more, not even an end, until TCP gives up.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::tcp_silence {
namespace {

constexpr uint64_t kBefore = 40000;  // bytes that arrive while there is a peer

void set_option(Scene& scene, int socket, int level, int option, int value) {
    if (::setsockopt(socket, level, option, &value, sizeof value) != 0)
        scene.give_up(error_from_errno("set a socket option").sentence);
}

// The shortest that TCP takes: a second of silence, one probe, and a second without an answer.
void give_up_by_probes(Scene& scene, int socket) {
    set_option(scene, socket, IPPROTO_TCP, TCP_KEEPIDLE, 1);
    set_option(scene, socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set_option(scene, socket, IPPROTO_TCP, TCP_KEEPCNT, 1);
    set_option(scene, socket, SOL_SOCKET, SO_KEEPALIVE, 1);
}

// What the receiver says is never acknowledged.
void give_up_by_data(Scene& scene, int socket) {
    set_option(scene, socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 300);  // milliseconds
    if (::send(socket, "?", 1, MSG_NOSIGNAL) != 1)
        scene.give_up(error_from_errno("send a byte to the peer").sentence);
}

struct Silence {
    const char* name;
    void (*give_up)(Scene&, int socket);
    bool armed = true;  // while the peer vanishes
    bool held = false;  // buffers are, until it is over
};
constexpr Silence kSilences[] = {
    {"no_answer_to_a_probe", give_up_by_probes},
    {"no_answer_to_data", give_up_by_data, true, true},
    {"while_data_waits", give_up_by_data, false},
};

SCENARIO_TABLE(
    tcp, peer_vanishes,
    "a peer that vanishes costs a request nothing that arrived, and ends it with ETIMEDOUT",
    Terms(Needs{.where = Where::kDevice, .faults = true}).claims({"tcp.peer-vanishes"}), kSilences,
    row) {
    ReceivePath rx(
        scene, {.ifq = {.area_size = 6_MiB},
                .receiver = {.returns = row.held ? ReturnPolicy::kNever : ReturnPolicy::kAtOnce}});
    const uint32_t stream =
        rx.connect({.bytes = kBefore, .end = PeerEnd::kIdle, .armed = row.armed});
    const int socket = rx.socket(stream);
    if (row.armed)
        rx.receive(kBefore);
    else
        rx.wait_for_queued(stream, kBefore);
    for (const uint8_t port : {0, 1})
        scene.inject(
            {.what = FaultKind::kDrop, .port = port, .match = {.protocol = FaultProtocol::kTcp}});
    row.give_up(scene, socket);
    if (!row.armed) {
        // The socket has an error when it has given up, which asking for it would take away.
        tcp_info info{};
        socklen_t size = sizeof info;
        scene.wait_for("The connection does not time out.", [&] {
            return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
                   info.tcpi_state == TCP_CLOSE;
        });
        rx.arm(stream);
    }
    scene.must(rx.receiver().run(scene.time_left()));
    const StreamState& state = rx.receiver().state(stream);
    EXPECT_EQ(state.bytes, kBefore);
    EXPECT_TRUE(state.ended) << "The request never ended.";
    EXPECT_EQ(state.final_result, -ETIMEDOUT);
    rx.abandon();
    if (!row.held) return;
    scene.must(rx.receiver().return_held());
    scene.must(scene.target().clear_faults());
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::tcp_silence
