// Chapter control_invariants: each invariant is broken on purpose, and only that one may be seen
// to be broken. Whoever changes the harness learns here whether it still notices anything.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "harness/base/endian.hpp"
#include "harness/base/fd.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::control_invariants {
namespace {

using namespace std::chrono_literals;

// A process of its own, which the runner does not end, keeps the ring open for so long. Returns
// when it has left the scenario's session: until then the runner would end it with the scenario.
void keep_open(Scene& scene, const Ring& ring, std::chrono::milliseconds time) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) scene.give_up(error_from_errno("make a pipe").sentence);
    const Fd reading(ends[0]);
    Fd writing(ends[1]);
    const pid_t child = fork();
    if (child < 0) scene.give_up(error_from_errno("start a process").sentence);
    if (child != 0) {
        writing.reset();
        char none = 0;
        // Its end: the other process has closed all but the ring.
        if (read(reading.get(), &none, 1) != 0) scene.give_up("The other process said something.");
        return;
    }
    setsid();
    const auto fd = static_cast<unsigned>(ring.fd());
    close_range(0, fd - 1, 0);
    close_range(fd + 1, ~0U, 0);
    std::this_thread::sleep_for(time);
    _exit(0);
}

SCENARIO(control_invariants, flipped_byte, "a byte that the sender did not mean is noticed",
         Terms(Needs{}).must_violate(Invariant::kI1)) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 100000, .damage = [](std::span<std::byte> bytes, uint64_t position) {
                    constexpr uint64_t kAt = 77777;
                    if (position <= kAt && kAt < position + bytes.size())
                        bytes[kAt - position] ^= std::byte{1};
                }});
    rx.receive_all();
}

SCENARIO(control_invariants, missing_byte, "a stream that ends too early is noticed",
         Terms(Needs{}).must_violate(Invariant::kI1)) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 100000});
    rx.receive_all();
    scene.trace().add(PeerSent{stream, 100001});
}

SCENARIO(control_invariants, completion_outside, "a completion outside of its area is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    ReceivePath rx(scene);
    // No device has written what lies outside.
    if (scene.has_device()) scene.trace().add(CopiesExpected{rx.ifq().number(), 1});
    const uint32_t stream = rx.connect({.bytes = 1000, .end = PeerEnd::kIdle});
    rx.receive(1000);
    // What such a kernel would have written, and a peer that sent one byte more.
    constexpr uint64_t kRequest = 4711;
    CqeSeen cqe;
    cqe.request = kRequest;
    cqe.ifq = rx.ifq().number();
    cqe.stream = stream;
    cqe.result = 1;
    cqe.flags = uapi::kCqeMore;
    cqe.offset = rx.ifq().area().size();
    cqe.big = true;
    cqe.position = 1000;
    scene.trace().add(RequestSubmitted{kRequest, cqe.ifq, stream, 0});
    scene.trace().add(PeerSent{stream, 1001});
    scene.trace().add(cqe);
    rx.receiver().finish();
}

SCENARIO(control_invariants, no_final_completion, "a request without a final completion is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1000});
    rx.receive_all();
    scene.trace().add(RequestSubmitted{4711, 4711, stream, 0});
}

SCENARIO(control_invariants, stray_completion, "a completion that belongs to nothing is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    ReceivePath rx(scene);
    scene.must(rx.ring().next_sqe())->opcode = uapi::kOpNop;
    rx.connect({.bytes = 1000});
    rx.receive_all();
}

SCENARIO(control_invariants, cq_too_small, "a CQ that overflows is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    constexpr uint64_t kBytes = 60000;
    ReceivePath rx(scene, {.ring = {.sq_entries = 1, .cq_entries = 1}});
    const uint32_t stream = rx.connect({.bytes = kBytes, .tcp = {.mss = 1000}, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    rx.arm(stream);
    rx.receive_all();
}

SCENARIO(control_invariants, end_without_a_fin, "an end that no peer has caused is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1000, .end = PeerEnd::kIdle});
    rx.receive(1000);
    ASSERT_EQ(::shutdown(rx.socket(stream), SHUT_RD), 0);
    scene.must(rx.receiver().run(scene.time_left()));
    rx.abandon();
}

SCENARIO(control_invariants, cancelled_by_nobody, "a cancelled request is noticed",
         Terms(Needs{}).must_violate(Invariant::kI2)) {
    constexpr uint64_t kOwn = 7;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 1000, .end = PeerEnd::kIdle});
    rx.receive(1000);
    io_uring_sqe& entry = *scene.must(rx.ring().next_sqe());
    entry.opcode = uapi::kOpAsyncCancel;
    entry.fd = -1;
    entry.cancel_flags = IORING_ASYNC_CANCEL_ANY;
    entry.user_data = kOwn;
    rx.receiver().expect_other(kOwn, "something else");
    scene.must(
        rx.receiver().run(scene.time_left(), [&] { return rx.receiver().state(stream).ended; }));
    rx.abandon();
}

SCENARIO(control_invariants, write_until_the_close,
         "a write into memory that the user holds until the ring is closed is noticed",
         Terms(Needs{}).must_violate(Invariant::kI3)) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}});
    uint64_t first = UINT64_MAX;
    rx.receiver().on_data = [&](uint32_t, const Completion& completion, auto) {
        if (first == UINT64_MAX) first = completion.offset;
    };
    rx.connect({.bytes = 100000});
    rx.receive_all();
    rx.ifq().area()[first] ^= std::byte{1};
}

SCENARIO(control_invariants, write_while_held, "a write into memory that the user holds is noticed",
         Terms(Needs{}).must_violate(Invariant::kI3)) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}});
    uint64_t first = UINT64_MAX;
    rx.receiver().on_data = [&](uint32_t, const Completion& completion, auto) {
        if (first == UINT64_MAX) first = completion.offset;
    };
    rx.connect({.bytes = 100000});
    rx.receive_all();
    rx.ifq().area()[first] ^= std::byte{1};
    scene.must(rx.receiver().return_held());
}

SCENARIO(control_invariants, copied, "a copy in place of DMA is noticed",
         Terms(Needs{.where = Where::kDevice}).must_violate(Invariant::kI4)) {
    // Without a rule the packets come in through queue 0, and the kernel copies.
    ReceivePath rx(scene, {.steer = false});
    rx.connect({.bytes = 100000});
    rx.receive_all();
}

SCENARIO(control_invariants, never_given_back, "a buffer that is never given back is noticed",
         Terms(Needs{}).must_violate(Invariant::kI5)) {
    ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}});
    rx.connect({.bytes = 1});
    rx.receive_all();
    rx.forget_held();
    rx.measure_capacity({.rounds = 2});
}

SCENARIO(control_invariants, warning, "a warning in the kernel log is noticed",
         Terms(Needs{}).must_violate(Invariant::kI7)) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 1});
    rx.receive_all();
    const Fd log(open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
    const std::string_view line =
        "<4>WARNING: CPU: 0 PID: 1 at zcrxlab/control.c:1 on_purpose+0x0/0x0\n";
    ASSERT_EQ(write(log.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
}

SCENARIO(control_invariants, rule_left_behind, "a flow rule that is left behind is noticed",
         Terms(Needs{.where = Where::kDevice, .flow_rules = true}).must_violate(Invariant::kI8)) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 1});
    rx.receive_all();
    FlowRule rule;
    rule.destination_port = 9;
    rule.queue = 0;
    scene.must(scene.nic().steering().add_rule(rule));
}

SCENARIO(control_invariants, wrong_errno, "an errno that was not promised is noticed",
         Terms(Needs{}).must_violate(Invariant::kI9)) {
    ReceivePath rx(scene);
    scene.returned("IORING_REGISTER_ZCRX_IFQ on queue 1", EINVAL, 0);
}

// A device without its bus master bit (PCI Local Bus Specification, 6.2.2) may not be asked for
// anything; its driver does not know that it is gone. What was not sent then goes with the next.
SCENARIO(control_invariants, forbidden_doorbell, "a doorbell that no driver may ring is noticed",
         Terms(Needs{.where = Where::kDevice, .emulated = true}).must_violate(Invariant::kI10)) {
    constexpr off_t kCommand = 4;
    constexpr uint16_t kBusMaster = 1U << 2;
    ReceivePath rx(scene);
    rx.connect({.bytes = 1});
    rx.receive_all();

    const std::string path = "/sys/class/net/" + scene.endpoints().interface + "/device/config";
    const Fd config(open(path.c_str(), O_RDWR | O_CLOEXEC));
    Le16 command;
    ASSERT_EQ(pread(config.get(), &command, sizeof command, kCommand), ssize_t{sizeof command});
    const auto set = [&](uint16_t value) {
        const Le16 wanted(value);
        ASSERT_EQ(pwrite(config.get(), &wanted, sizeof wanted, kCommand), ssize_t{sizeof wanted});
    };
    const auto send_one = [&] {
        const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        sockaddr_in peer{};
        peer.sin_family = AF_INET;
        peer.sin_port = htons(9);
        ASSERT_EQ(inet_pton(AF_INET, scene.endpoints().peer_v4.c_str(), &peer.sin_addr), 1);
        ASSERT_EQ(sendto(socket.get(), "x", 1, 0, reinterpret_cast<sockaddr*>(&peer), sizeof peer),
                  1);
    };
    set(static_cast<uint16_t>(command & ~kBusMaster));
    send_one();
    set(command);
    send_one();
}

// What it leaves behind lasts a little longer than the runner's patience.
SCENARIO(control_invariants, ring_left_open, "a provider that stays on its queue is noticed",
         Terms(Needs{.where = Where::kDevice}).must_violate(Invariant::kI6)) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 1});
    rx.receive_all();
    keep_open(scene, rx.ring(), scene.scaled(6s));
}

}  // namespace
}  // namespace zcrxlab::control_invariants
