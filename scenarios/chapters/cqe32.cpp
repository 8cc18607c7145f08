// Chapter cqe32: what a request may be, every flag and field of a completion, and how requests end.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include "harness/base/errno_name.hpp"
#include "scenarios/chapters/cqe32_requests.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::cqe32 {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kCqe32Ring =
    uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | uapi::kSetupCqe32;
constexpr uint32_t kMixedRing =
    uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | uapi::kSetupCqeMixed;
const Needs kMixedNeeds{.features = {Feature::kCqeMixed}};
const Needs kLogged{.where = Where::kDevice, .dma_log = true, .queues = 1};

// ---- what a request may be

struct BadRequest {
    const char* name;
    int code;
    void (*spoil)(io_uring_sqe&);
    const char* action = nullptr;  // what "refuse" calls it
};
const BadRequest kBadRequests[] = {
    {"one_shot", EINVAL, [](io_uring_sqe& s) { s.ioprio = 0; }, "one_shot"},
    {"fixed_buffer", EINVAL, [](io_uring_sqe& s) { s.ioprio |= 1U << 2; }},
    {"zero_copy_report", EINVAL, [](io_uring_sqe& s) { s.ioprio |= 1U << 3; }},
    {"bundle", EINVAL, [](io_uring_sqe& s) { s.ioprio |= 1U << 4; }},
    {"unknown_flag", EINVAL, [](io_uring_sqe& s) { s.ioprio |= 1U << 15; }, "unknown_flag"},
    {"message_flags", EINVAL, [](io_uring_sqe& s) { s.msg_flags = MSG_PEEK; }, "message_flags"},
    {"address", EINVAL, [](io_uring_sqe& s) { s.addr = 4096; }, "address"},
    {"address_2", EINVAL, [](io_uring_sqe& s) { s.off = 4096; }, "address_2"},
    {"address_3", EINVAL, [](io_uring_sqe& s) { s.addr3 = 4096; }, "address_3"},
    {"unknown_ifq", EINVAL, [](io_uring_sqe& s) { s.splice_fd_in += 1; }},
    {"highest_ifq", EINVAL, [](io_uring_sqe& s) { s.splice_fd_in = -1; }, "unknown_ifq"},
    {"no_descriptor", EBADF, [](io_uring_sqe& s) { s.fd = -1; }, "no_descriptor"},
    {"buffer_selection", EOPNOTSUPP, [](io_uring_sqe& s) { s.flags |= IOSQE_BUFFER_SELECT; },
     "buffer_selection"},
};

SCENARIO_TABLE(cqe32, refused, "a request that is not as it must be is refused with its errno",
               Terms(Needs{}).claims({"cqe32.submit-einval", "cqe32.submit-fd",
                                      "cqe32.submit-buffer-select"}),
               kBadRequests, row) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 10000, .armed = false});
    row.spoil(request_on(scene, rx, rx.socket(stream)));
    const Completion refused = next_completion(scene, rx);
    scene.returned("RECV_ZC", row.code, -refused.result);
    if (row.action != nullptr)
        scene.done("refuse s" + std::to_string(stream) + " as=" + row.action +
                   " expect=" + errno_name(row.code));
    EXPECT_EQ(refused.user_data, kOwnRequest);
    EXPECT_EQ(refused.flags, 0U);
    // It took nothing from the stream.
    rx.arm(stream);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 10000U);
}

struct BadSocket {
    const char* name;
    int code;
    Fd (*make)(Scene&);
};
const BadSocket kBadSockets[] = {
    {"ring", ENOTSOCK, [](Scene& s) { return Fd(::dup(s.must(Ring::create()).fd())); }},
    {"udp", EPROTONOSUPPORT, [](Scene&) { return Fd(::socket(AF_INET, SOCK_DGRAM, 0)); }},
    {"unix", EPROTONOSUPPORT,
     [](Scene&) {
         int pair[2] = {-1, -1};
         EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
         ::close(pair[1]);
         return Fd(pair[0]);
     }},
    {"unconnected", ENOTCONN, [](Scene&) { return Fd(::socket(AF_INET, SOCK_STREAM, 0)); }},
    {"listening", ENOTCONN,
     [](Scene& s) { return s.must(tcp_listen({.local = "127.0.0.1"})).socket; }},
};

SCENARIO_TABLE(cqe32, wrong_socket, "what is no connected TCP socket is refused with its errno",
               Terms(Needs{}).claims({"cqe32.submit-fd", "cqe32.submit-protocol",
                                      "cqe32.submit-unconnected"}),
               kBadSockets, row) {
    ReceivePath rx(scene);
    const Fd socket = row.make(scene);
    ASSERT_GE(socket.get(), 0);
    request_on(scene, rx, socket.get());
    const Completion refused = next_completion(scene, rx);
    scene.returned("RECV_ZC", row.code, -refused.result);
    EXPECT_EQ(refused.flags, 0U);
}

struct GoodRequest {
    const char* name;
    void (*change)(io_uring_sqe&);
};
const GoodRequest kGoodRequests[] = {
    {"poll_first", [](io_uring_sqe& s) { s.ioprio |= uapi::kRecvPollFirst; }},
    {"skip_success", [](io_uring_sqe& s) { s.flags |= IOSQE_CQE_SKIP_SUCCESS; }},
    {"async", [](io_uring_sqe& s) { s.flags |= IOSQE_ASYNC; }},
};

SCENARIO_TABLE(cqe32, accepted,
               "POLL_FIRST, CQE_SKIP_SUCCESS and ASYNC change nothing in what is delivered",
               Terms(Needs{}).claims({"cqe32.skip-success-accepted"}), kGoodRequests, row) {
    constexpr uint64_t kBytes = 100000;
    ReceivePath rx(scene, {.receiver = {.change = row.change}});
    const uint32_t stream = rx.connect({.bytes = kBytes});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().state(stream).bytes, kBytes);
    EXPECT_EQ(rx.receiver().state(stream).final_cqes, 1U);
}

// ---- flags and fields

struct Format {
    const char* name;
    uint32_t flags;
    Terms terms;
};
const Format kFormats[] = {
    {"cqe32", kCqe32Ring,
     Terms(Needs{}).claims({"cqe32.data-flags", "cqe32.offset", "cqe32.within-buffer",
                            "cqe32.stream-order", "cqe32.one-final", "cqe32.final-eof"})},
    {"mixed", kMixedRing, Terms(kMixedNeeds).claims({"cqe32.data-flags", "cqe32.mixed-flag"})},
};

SCENARIO_TABLE(cqe32, fields, "every data CQE has F_MORE, a good offset and no padding", Needs{},
               kFormats, row) {
    ReceivePath rx(scene, {.ring = {.flags = row.flags}});
    for (int i = 0; i < 4; ++i) rx.connect({.bytes = 500000, .chunks = {1, 5000, 70000}});
    rx.receive_all();
    for (const StreamState& state : rx.receiver().states()) {
        EXPECT_EQ(state.final_result, 0);
        EXPECT_EQ(state.final_cqes, state.requests);
    }
}

// A CQE of 16 bytes comes first, so that no data CQE fits into the last slot of the first round;
// later more of them come now and then.
SCENARIO(cqe32, mixed_padding, "a mixed CQ pads its last slot with a CQE that is to be skipped",
         Terms(kMixedNeeds).claims({"cqe32.mixed-skip"})) {
    constexpr uint32_t kSlots = 64;
    ReceivePath rx(scene, {.ring = {.sq_entries = 8, .cq_entries = kSlots, .flags = kMixedRing},
                           .receiver = {.small_cq = true}});
    uint64_t cqes = 0;
    uint64_t nops = 0;
    const auto prepare_nop = [&] {
        nop_on(scene, rx);
        ++nops;
    };
    prepare_nop();
    scene.must(rx.ring().submit());
    rx.receiver().on_data = [&](uint32_t, const Completion&, auto) {
        if (++cqes > kSlots && cqes % 5 == 0) prepare_nop();
    };
    rx.connect({.bytes = 600000, .chunks = {1400}});
    rx.receive_all();
    scene.must(rx.ring().submit());
    scene.must(rx.receiver().catch_up());
    const std::vector<Completion> completions = rx.receiver().take_other();
    for (const Completion& nop : completions) {
        EXPECT_EQ(nop.user_data, kOwnRequest) << "A CQE came that belongs to no request.";
        EXPECT_FALSE(nop.big);
    }
    EXPECT_GE(completions.size(), nops);
    EXPECT_LE(completions.size(), nops) << "A CQE came that belongs to no request.";
    EXPECT_GT(rx.ring().skipped(), 0U);
}

struct FreeSlots {
    const char* name;
    uint32_t free;
};
constexpr FreeSlots kFreeSlots[] = {{"none", 0}, {"1", 1}, {"2", 2}, {"3", 3}};

SCENARIO_TABLE(cqe32, mixed_nearly_full,
               "a mixed CQ without room for a data CQE shows none that is stale, and loses no byte",
               Terms(kMixedNeeds).claims({"cqe32.mixed-one-slot", "cqe32.final-cq-full"}),
               kFreeSlots, row) {
    constexpr uint32_t kSlots = 16;
    constexpr uint64_t kBytes = 40000;
    ReceivePath rx(scene, {.ring = {.sq_entries = 16, .cq_entries = kSlots, .flags = kMixedRing},
                           .receiver = {.small_cq = true}});
    const uint32_t stream = rx.connect({.bytes = kBytes, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    ASSERT_EQ(rx.ring().cq_entries(), kSlots);
    for (uint32_t i = row.free; i < kSlots; ++i) nop_on(scene, rx);
    scene.must(rx.ring().submit());
    rx.arm(stream);
    scene.must(rx.ring().submit());
    scene.must(rx.ring().poll());
    rx.receive(kBytes);
    EXPECT_EQ(rx.receiver().take_other().size(), kSlots - row.free)
        << "A CQE came that belongs to no request.";
    EXPECT_GT(rx.receiver().state(stream).no_slots, 0U);
    EXPECT_EQ(rx.receiver().state(stream).final_cqes + 1, rx.receiver().state(stream).requests);
    rx.abandon();
}

// ---- length of a request

struct Limit {
    const char* name;
    uint32_t limit;
    uint64_t bytes;
};
constexpr Limit kLimits[] = {
    {"1_of_100", 1, 100},
    {"1000_of_100000", 1000, 100000},
    {"page_less_1", 4095, 200000},
    {"page", 4096, 40960},
    {"page_and_1", 4097, 200000},
    {"64_kib", 65536, 1 << 20},
    {"exactly_the_stream", 100000, 100000},
    {"one_less", 99999, 100000},
    {"one_more", 100001, 100000},
    {"largest", UINT32_MAX, 300000},
};

SCENARIO_TABLE(cqe32, limit, "a request with a length ends at it, and the next one goes on there",
               Terms(Needs{}).claims({"cqe32.limit", "cqe32.one-final"}), kLimits, row) {
    ReceivePath rx(scene, {.receiver = {.limit = row.limit}});
    const uint32_t stream = rx.connect({.bytes = row.bytes});
    rx.receive_all();
    const StreamState& state = rx.receiver().state(stream);
    EXPECT_EQ(state.bytes, row.bytes);
    EXPECT_EQ(state.final_result, 0);
    EXPECT_EQ(state.requests, row.bytes / row.limit + 1)
        << "The stream did not take a request for each length.";
}

SCENARIO(cqe32, limit_of_queued_data,
         "a request on data that is there already takes its length and not one byte more",
         Terms(Needs{}).claims({"cqe32.limit"})) {
    constexpr uint64_t kBytes = 60000;
    ReceivePath rx(scene, {.receiver = {.limit = 12345, .rearm = false}});
    const uint32_t stream = rx.connect({.bytes = kBytes, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    rx.arm(stream);
    for (uint64_t bytes = 12345; bytes < kBytes; bytes += 12345) {
        scene.must(rx.receiver().run(scene.time_left(),
                                     [&] { return !rx.receiver().state(stream).armed; }));
        ASSERT_EQ(rx.receiver().state(stream).bytes, bytes);
        int queued = 0;
        ASSERT_EQ(::ioctl(rx.socket(stream), FIONREAD, &queued), 0);
        ASSERT_EQ(static_cast<uint64_t>(queued), kBytes - bytes);
        scene.must(rx.receiver().arm(stream));
    }
    rx.receive(kBytes);
    rx.abandon();
}

// ---- several requests

SCENARIO(cqe32, two_requests, "two requests on one socket never both get a byte, and both end",
         Terms(Needs{}).claims({"cqe32.two-requests", "cqe32.one-final"})) {
    constexpr uint64_t kBytes = 300000;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kBytes, .armed = false});
    rx.arm(stream);
    scene.must(rx.receiver().arm_another(stream));
    const StreamState& state = rx.receiver().state(stream);
    scene.must(rx.receiver().run(scene.time_left(), [&] { return state.final_cqes == 2; }));
    EXPECT_EQ(state.final_cqes, 2U);
    rx.receive_all();
    EXPECT_EQ(state.bytes, kBytes);
}

// A request takes 21 packets (IO_SKBS_PER_CALL_LIMIT) and leaves the turn to others. More than that
// waits for each: however TCP joins them, a packet has 45 buffers at most (CONFIG_MAX_SKB_FRAGS).
SCENARIO(
    cqe32, turns,
    "a request that finds data has some of it before another one that was first has all of its "
    "own",
    Terms(kLogged).claims({"cqe32.turns"})) {
    constexpr uint32_t kSegment = 1000;
    constexpr uint64_t kBytes = 1000 * kSegment;
    scene.prepare_nic();
    scene.must(scene.nic().set_feature("rx-gro-hw", false));  // one buffer for each segment
    ReceivePath rx(scene, {.ifq = {.area_size = 16U << 20}});
    std::array<uint32_t, 2> streams{};
    for (uint32_t& stream : streams) {
        stream = rx.connect(
            {.bytes = 0, .end = PeerEnd::kIdle, .tcp = {.mss = kSegment}, .armed = false});
        rx.make_room(stream);
    }
    for (const uint32_t stream : streams) {
        rx.peer(stream).send_more(kBytes);
        rx.wait_for_queued(stream, kBytes);
        rx.peer(stream).end(PeerEnd::kFin);
    }
    uint64_t first_had = 0;
    rx.receiver().on_data = [&](uint32_t stream, const Completion&, std::span<const std::byte>) {
        if (stream == streams[1] && first_had == 0)
            first_had = rx.receiver().state(streams[0]).bytes;
    };
    for (const uint32_t stream : streams) rx.arm(stream);
    rx.receive_all();
    EXPECT_GT(first_had, 0U) << "The second request came before the first.";
    EXPECT_LT(first_had, kBytes) << "The second request waited for all of the first.";
}

SCENARIO(
    cqe32, foreign_ifq,
    "a request through the ifq of another queue ends with -EFAULT and takes no byte",
    Terms(Needs{.where = Where::kDevice, .queues = 2}).claims({"cqe32.final-foreign-fragment"})) {
    ReceivePath right(scene);
    ReceivePath wrong(scene);
    const uint32_t stream = right.connect({.bytes = 50000, .end = PeerEnd::kIdle, .armed = false});
    right.wait_for_queued(stream, 50000);
    request_on(scene, wrong, right.socket(stream));
    const Completion refused = next_completion(scene, wrong);
    EXPECT_EQ(refused.result, -EFAULT);
    EXPECT_EQ(refused.flags, 0U);
    right.arm(stream);
    right.receive(50000);
    right.abandon();
}

// ---- cancel

SCENARIO(cqe32, cancel, "a cancelled request ends with one -ECANCELED, and another one goes on",
         Terms(Needs{}).claims({"cqe32.cancel", "cqe32.rearm", "cqe32.one-final"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 20000, .end = PeerEnd::kIdle});
    for (uint64_t bytes = 20000; bytes <= 100000; bytes += 20000) {
        rx.receive(bytes);
        scene.must(rx.receiver().cancel(stream));
        scene.must(rx.receiver().run(scene.time_left(),
                                     [&] { return !rx.receiver().state(stream).armed; }));
        ASSERT_EQ(rx.receiver().state(stream).final_result, -ECANCELED);
        rx.peer(stream).send_more(20000);
        scene.must(rx.receiver().arm(stream));
    }
    rx.receive(120000);
    rx.abandon();
}

SCENARIO(cqe32, cancel_under_load, "requests cancelled in the middle of a stream lose no byte",
         Terms(Needs{}).claims({"cqe32.cancel", "cqe32.rearm", "cqe32.one-final"})) {
    constexpr uint64_t kBytes = 3 << 20;
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = kBytes});
    const StreamState& state = rx.receiver().state(stream);
    for (uint64_t at = 100000; at < kBytes && !state.ended; at += 300000) {
        scene.must(
            rx.receiver().run(scene.time_left(), [&] { return state.bytes >= at || state.ended; }));
        if (!state.armed) break;
        scene.must(rx.receiver().cancel(stream));
        scene.must(rx.receiver().run(scene.time_left(), [&] { return !state.armed; }));
        // The end of the stream may have come first.
        if (state.final_result == 0) break;
        ASSERT_EQ(state.final_result, -ECANCELED);
        scene.must(rx.receiver().arm(stream));
    }
    rx.receive_all();
    EXPECT_EQ(state.bytes, kBytes);
}

SCENARIO(cqe32, shut_down_by_receiver,
         "a receiver that shuts down its receiving side ends its request with 0",
         Terms(Needs{}).claims({"cqe32.final-eof"})) {
    ReceivePath rx(scene);
    const uint32_t stream = rx.connect({.bytes = 0, .end = PeerEnd::kIdle, .armed = false});
    request_on(scene, rx, rx.socket(stream));
    scene.must(rx.ring().submit());
    scene.must(rx.ring().poll());
    ASSERT_EQ(::shutdown(rx.socket(stream), SHUT_RD), 0);
    const Completion last = next_completion(scene, rx);
    EXPECT_EQ(last.result, 0);
    EXPECT_EQ(last.flags, 0U);
}

}  // namespace
}  // namespace zcrxlab::cqe32
