// Chapter receive: every byte arrives once, in order, unchanged; from a NIC without being copied.
#include <gtest/gtest.h>

#include "scenarios/framework/parallel.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/sizes.hpp"
#include "scenarios/framework/streams/receive_path.hpp"

namespace zcrxlab::receive {
namespace {

using namespace std::chrono_literals;

SCENARIO(receive, one_byte, "one connection delivers one byte", Needs{}) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 1});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1U);
}

struct Family {
    const char* name;
    uint8_t family;
    std::string_view claims;
};
constexpr Family kFamilies[] = {{"ipv4", 4, "steering.rule-tcp4"},
                                {"ipv6", 6, "steering.rule-tcp6"}};

SCENARIO_TABLE(receive, family, "a connection of either family delivers its stream",
               Needs{.two_families = true}, kFamilies, row) {
    ReceivePath rx(scene);
    rx.connect({.bytes = 300_KiB, .family = row.family});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 300_KiB);
}

// Neither the writes of the peer nor the segments on the wire divide a page.
struct Size {
    const char* name;
    uint64_t bytes;
    std::vector<uint32_t> chunks;
    std::optional<uint32_t> mss = std::nullopt;
    Terms terms = Needs{};
};
const Size kSizes[] = {
    {"1_byte", 1, {1}},
    {"2_bytes_in_two_writes", 2, {1}},
    {"1_page", 4096, {4096}},
    {"1_page_and_1", 4097, {4097}},
    {"1000_tiny_writes", 7000, {7}},
    {"primes", 64_KiB + 1, {1, 3, 1009, 4093, 4099, 8191}},
    {"mss_536", 256_KiB + 13, {65536}, 536},
    {"mss_1111", 512_KiB + 17, {10007}, 1111},
    {"1_mib", 1_MiB, {65537}},
    {"8_mib", 8_MiB + 5, {131071}},
    {"64_mib", 64_MiB + 3, {262147}, std::nullopt, Terms(Needs{.memory = 200_MiB}).within(120s)},
};

SCENARIO_TABLE(receive, sizes, "a stream of any size arrives whole, however it is cut",
               Terms(Needs{}).claims({"cqe32.stream-order"}), kSizes, size) {
    ReceivePath rx(scene);
    rx.connect({.bytes = size.bytes, .chunks = size.chunks, .tcp = {.mss = size.mss}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), size.bytes);
}

SCENARIO(receive, many_connections, "64 connections at once each get their own bytes", Needs{}) {
    ReceivePath rx(scene);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 64; ++i) {
        const uint64_t bytes = 20000 + 997 * i;
        rx.connect({.bytes = bytes, .chunks = {1000 + 13 * i}});
        total += bytes;
    }
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), total);
}

// What is held is compared again when it goes back.
SCENARIO(receive, slow_reader,
         "buffers that a slow reader holds stay as they are, and none is lost",
         Terms(Needs{}).claims({"refill.after-hold"})) {
    // More buffers than are held and sent together, so that none of them goes back for want of
    // others.
    ReceivePath rx(scene, {.ifq = {.area_size = 16_MiB},
                           .receiver = {.returns = ReturnPolicy::kHold, .hold = 1000}});
    rx.connect({.bytes = 8_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 8_MiB);
    EXPECT_EQ(rx.receiver().held(), 1000U);
    rx.measure_capacity();
}

SCENARIO(receive, loss_and_reordering, "a stream arrives whole through 1 % loss and reordering",
         Terms(Needs{.where = Where::kDevice, .faults = true}).claims({"tcp.loss"})) {
    uint64_t salt = 0;
    for (const FaultKind kind : {FaultKind::kDrop, FaultKind::kReorder})
        scene.inject({.what = kind,
                      .match = {.protocol = FaultProtocol::kTcp,
                                .payload = true,
                                .probability = 0.01,
                                .seed = scene.seed(++salt)}});
    ReceivePath rx(scene);
    // The peer's segments stay small, so that there are many of them to lose.
    rx.connect({.bytes = 3_MiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 3_MiB);
    rx.measure_capacity();
}

SCENARIO(receive, two_queues, "two rings on two queues receive side by side", Needs{.queues = 2}) {
    in_parallel(2, [&scene](unsigned) {
        ReceivePath rx(scene);
        for (int i = 0; i < 4; ++i) rx.connect({.bytes = 1_MiB, .chunks = {12345}});
        rx.receive_all();
        EXPECT_EQ(rx.receiver().total_bytes(), 4_MiB);
    });
}

SCENARIO(receive, register_again,
         "a ring closed with buffers held lets go of its queue, which can be registered again",
         Terms(Needs{.queues = 1})
             .claims({"teardown.close", "teardown.held-buffers", "teardown.again"})) {
    constexpr uint32_t kQueue = 1;
    {
        ReceivePath rx(scene, {.receiver = {.returns = ReturnPolicy::kNever}, .queue = kQueue});
        rx.connect({.bytes = 1_MiB, .end = PeerEnd::kIdle});
        rx.receive(1_MiB);
        EXPECT_GT(rx.receiver().held(), 0U);
        rx.abandon();
    }
    if (scene.has_device()) scene.wait_for_release(kQueue);
    ReceivePath rx(scene, {.queue = kQueue});
    rx.connect({.bytes = 1_MiB});
    rx.receive_all();
    EXPECT_EQ(rx.receiver().total_bytes(), 1_MiB);
    rx.measure_capacity();
}

}  // namespace
}  // namespace zcrxlab::receive
