// Chapter cqe32, a CQ that gets another size while completions lie in it.
#include <gtest/gtest.h>

#include <cerrno>
#include <iterator>

#include "scenarios/chapters/cqe32_requests.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::cqe32_resized {
namespace {

constexpr uint32_t kRing = uapi::kSetupDeferTaskrun | uapi::kSetupSingleIssuer;

struct Format {
    const char* name;
    uint32_t flag;
    Terms terms;
};
const Format kFormats[] = {
    {"cqe32", uapi::kSetupCqe32, Terms(Needs{}).claims({"cqe32.resized"})},
    {"mixed", uapi::kSetupCqeMixed,
     Terms(Needs{.features = {Feature::kCqeMixed}}).claims({"cqe32.resized"})},
};

// Data comes in bursts of about a third of the smallest CQ, so that now and then the end of a new
// CQ lies among what is waiting. The last CQ holds what a count of the buffers fills it with.
SCENARIO_TABLE(cqe32, resized,
               "a CQ that shrinks and grows while CQEs lie in it loses and changes none of them",
               Needs{}, kFormats, row) {
    constexpr uint32_t kBurst = 40000;
    constexpr uint32_t kSizes[] = {64, 512, 128, 1024, 64, 256, 64, 8192};
    ReceivePath rx(scene, {.ring = {.sq_entries = 16, .cq_entries = 256, .flags = kRing | row.flag},
                           .receiver = {.limit = kBurst, .rearm = false}});
    const uint32_t stream =
        rx.connect({.bytes = 0, .chunks = {10000}, .end = PeerEnd::kIdle, .armed = false});
    // Nothing lies in it yet, so that what else a kernel does wrong in such a ring is not judged.
    if (!scene.must(rx.ring().resize_cq(256))) {
        ADD_FAILURE() << "The kernel does not say where the array of the SQ is.";
        rx.abandon();
        return;
    }
    // One of 16 bytes in front of those of 32, which a mixed CQ then has at odd slots.
    nop_on(scene, rx);
    scene.must(rx.ring().submit());
    scene.must(rx.receiver().catch_up());
    uint64_t sent = 0;
    for (const uint32_t entries : kSizes) {
        rx.peer(stream).send_more(kBurst);
        rx.wait_for_queued(stream, kBurst);
        if (sent == 0) {
            rx.arm(stream);
        } else {
            scene.must(rx.receiver().arm(stream));
        }
        sent += kBurst;
        scene.must(rx.ring().submit());
        scene.must(rx.ring().poll());
        Result<bool> resized = rx.ring().resize_cq(entries);
        // A CQE of two slots may not lie at the end and the beginning of a mixed CQ.
        if (!resized && resized.error().code == EOVERFLOW && row.flag == uapi::kSetupCqeMixed) {
            rx.receive(sent);
            resized = rx.ring().resize_cq(entries);
        }
        scene.must(resized);
        EXPECT_EQ(rx.ring().cq_entries(), entries);
        // What is in such a ring cannot be told any more, so that nothing else of it is judged.
        if (rx.ring().any_torn()) {
            ADD_FAILURE() << "A CQE of two slots lies at the end and the beginning of the new CQ.";
            rx.abandon();
            rx.close_ring();
            return;
        }
        rx.receive(sent);
        scene.must(rx.receiver().run(scene.time_left(),
                                     [&] { return !rx.receiver().state(stream).armed; }));
    }
    EXPECT_EQ(rx.receiver().state(stream).final_cqes, std::size(kSizes));
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::cqe32_resized
