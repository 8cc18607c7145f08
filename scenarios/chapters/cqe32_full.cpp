// Chapter cqe32, a full CQ: requests that end for want of a slot, and what comes after them.
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "scenarios/chapters/cqe32_requests.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::cqe32_full {
namespace {

using namespace std::chrono_literals;

struct CqSize {
    const char* name;
    uint32_t entries;
};
constexpr CqSize kCqSizes[] = {
    {"1_entry", 1}, {"2_entries", 2}, {"3_entries", 3}, {"8_entries", 8}, {"32_entries", 32}};

SCENARIO_TABLE(cqe32, small_cq,
               "a CQ that is too small ends requests with -ENOSPC, and arming again loses no byte",
               Terms(Needs{}).claims({"cqe32.final-cq-full", "cqe32.rearm", "cqe32.one-final"}),
               kCqSizes, row) {
    constexpr uint64_t kBytes = 60000;
    ReceivePath rx(scene, {.ring = {.sq_entries = 1, .cq_entries = row.entries},
                           .receiver = {.small_cq = true}});
    // Small segments, so that there are more of them than slots.
    const uint32_t stream = rx.connect({.bytes = kBytes, .tcp = {.mss = 1000}, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    rx.arm(stream);
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), kBytes);
    // Segments that the NIC joined are read in one go, as up to eight CQEs; then the CQ is emptied.
    EXPECT_TRUE(row.entries >= 8 || rx.receiver().state(stream).no_slots > 0)
        << "The CQ was full, and no request ended.";
}

SCENARIO(cqe32, full_cq_streams,
         "8 connections that fill a CQ of 16 entries again and again lose no byte",
         Terms(Needs{}).claims({"cqe32.final-cq-full", "cqe32.rearm"})) {
    ReceivePath rx(scene,
                   {.ring = {.sq_entries = 16, .cq_entries = 16}, .receiver = {.small_cq = true}});
    for (int i = 0; i < 8; ++i) rx.connect({.bytes = 60000, .chunks = {1000}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 8U * 60000);
}

SCENARIO_TABLE(cqe32, burst_then_silence,
               "a request that met a full CQ ends with -ENOSPC, also if no packet ever comes again",
               Terms(Needs{}).claims({"cqe32.full-cq-then-silence", "cqe32.final-cq-full"}),
               kCqSizes, row) {
    constexpr uint64_t kBytes = 60000;
    ReceivePath rx(scene, {.ring = {.sq_entries = 1, .cq_entries = row.entries},
                           .receiver = {.small_cq = true}});
    const uint32_t stream =
        rx.connect({.bytes = kBytes, .end = PeerEnd::kIdle, .tcp = {.mss = 1000}, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    rx.arm(stream);
    rx.receive(kBytes);
    rx.abandon();
}

SCENARIO(cqe32, full_cq_shows_what_fits,
         "a CQ that nobody reads fills up with data, and the next CQE is the final one",
         Terms(Needs{}).claims({"cqe32.final-cq-full"})) {
    constexpr uint64_t kBytes = 60000;
    constexpr size_t kSlots = 8;
    ReceivePath rx(scene, {.ring = {.sq_entries = 1, .cq_entries = kSlots},
                           .receiver = {.small_cq = true},
                           .uncounted = Uncounted::kNotConserved});
    scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kNoPositions});
    const uint32_t stream =
        rx.connect({.bytes = kBytes, .end = PeerEnd::kIdle, .tcp = {.mss = 1000}, .armed = false});
    rx.wait_for_queued(stream, kBytes);
    request_on(scene, rx, rx.socket(stream));
    // Nobody reads until the final CQE waits for a slot.
    while (!rx.ring().keeps_back()) {
        ASSERT_GT(scene.time_left(), 0ms) << "the request never ended";
        scene.must(rx.ring().submit());
        scene.must(rx.ring().poll());
    }
    scene.must(rx.receiver().catch_up());
    const std::vector<Completion> completions = rx.receiver().take_other();
    ASSERT_EQ(completions.size(), kSlots);
    uint64_t bytes = 0;
    for (const Completion& cqe : completions) {
        EXPECT_EQ(cqe.flags, uapi::kCqeMore);
        EXPECT_GT(cqe.result, 0);
        bytes += static_cast<uint64_t>(std::max(cqe.result, 0));
    }
    const Completion last = next_completion(scene, rx);
    EXPECT_EQ(last.user_data, kOwnRequest);
    EXPECT_EQ(last.result, -ENOSPC);
    EXPECT_EQ(last.flags, 0U);
    EXPECT_LT(bytes, kBytes);
    scene.trace().add(StreamFinished{stream, false});
}

struct Filled {
    const char* name;
    uint32_t format;
    uint32_t slots;  // that a CQE of data fills
    Terms terms = Needs{};
};
const Filled kFilled[] = {
    {"cqe32", uapi::kSetupCqe32, 1},
    {"mixed", uapi::kSetupCqeMixed, 2, Needs{.features = {Feature::kCqeMixed}}},
};

// The last byte that the request may have takes the last slot.
SCENARIO_TABLE(cqe32, limit_fills_cq,
               "a request whose length fills the CQ ends once, behind its data, when there is room",
               Terms(Needs{}).claims({"cqe32.limit", "cqe32.limit-full-cq"}), kFilled, row) {
    ReceivePath rx(
        scene, {.ring = {.sq_entries = 1,
                         .cq_entries = row.slots,
                         .flags = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer | row.format},
                .receiver = {.small_cq = true},
                .uncounted = Uncounted::kNotConserved});
    scene.trace().add(CopiesNotTold{rx.ifq().number(), CopiesUnknown::kNoPositions});
    const uint32_t stream = rx.connect({.bytes = 100, .end = PeerEnd::kIdle, .armed = false});
    rx.wait_for_queued(stream, 100);
    request_on(scene, rx, rx.socket(stream)).len = 1;
    scene.must(rx.ring().submit());
    while (!rx.ring().keeps_back()) {
        ASSERT_GT(scene.time_left(), 0ms) << "the request never ended";
        scene.must(rx.ring().poll());
    }
    const Completion data = next_completion(scene, rx);
    EXPECT_EQ(data.result, 1);
    EXPECT_NE(data.flags & uapi::kCqeMore, 0U);
    const Completion last = next_completion(scene, rx);
    EXPECT_EQ(last.user_data, kOwnRequest);
    EXPECT_EQ(last.result, 0);
    EXPECT_EQ(last.flags, 0U);
    scene.must(rx.receiver().catch_up());
    EXPECT_TRUE(rx.receiver().take_other().empty()) << "It ended more than once.";
    int queued = 0;
    ASSERT_EQ(::ioctl(rx.socket(stream), FIONREAD, &queued), 0);
    EXPECT_EQ(queued, 99) << "The request took more than its length.";
    scene.trace().add(StreamFinished{stream, false});
}

}  // namespace
}  // namespace zcrxlab::cqe32_full
