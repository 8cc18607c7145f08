// Chapter stall: what fills an area and cannot be given back, because the kernel has
// not handed it out.
#include <gtest/gtest.h>

#include <thread>

#include "harness/net/counters.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"
#include "scenarios/framework/surroundings/sysctl.hpp"

namespace zcrxlab::exhaustion_stall {
namespace {

using namespace std::chrono_literals;

constexpr uint32_t kAreaPages = 256;
// Fits into the area, but is more than half of it: so far a sender's window grows.
constexpr uint64_t kStep = 180 * 1388;
constexpr uint64_t kWarmUp = 12 * kStep;
constexpr uint64_t kBurst = 2U << 20;
constexpr uint32_t kMss = 1400;

// One segment is lost, and the acknowledgments that would tell the sender so are held up until all
// that its window allows is on its way. What follows the hole waits for it in the socket, in
// buffers of the area; when it has all of them, none is left for the segment that would close the
// hole. The user has nothing that could be returned.
SCENARIO(stall, small_area_out_of_order,
         "data behind a lost segment never takes the buffers that its retransmission needs",
         Terms(Needs{.where = Where::kDevice, .faults = true, .flow_rules = true})
             .within(60s)
             .claims({"exhaustion.out-of-order-holds"})) {
    // The sender's window grows with each burst, is kept in between, and owes nothing to others.
    const std::string space = scene.endpoints().peer_namespace;
    set_sysctl(scene, space, "ipv4/tcp_congestion_control", "reno");
    set_sysctl(scene, space, "ipv4/tcp_slow_start_after_idle", "0");
    set_sysctl(scene, space, "ipv4/tcp_no_metrics_save", "1");
    set_sysctl(scene, "", "core/rmem_max", "33554432");
    scene.must(scene.nic().set_feature("rx-gro-hw", false));  // one buffer for each segment
    const uint32_t pages = kAreaPages + buffers_kept_by_driver(scene);
    ReceivePath rx(scene, {.ifq = {.area_size = pages * kPageSize}});
    const uint32_t stream = rx.connect(
        {.bytes = kStep, .end = PeerEnd::kIdle, .tcp = {.mss = kMss, .receive_buffer = 16 << 20}});
    rx.receive(kStep);
    while (rx.receiver().total_bytes() < kWarmUp) {
        rx.peer(stream).send_more(kStep);
        rx.receive(rx.receiver().total_bytes() + kStep);
    }

    const std::string queue = std::to_string(rx.queue());
    auto before = device_counters(scene, 0);
    const uint64_t queued_before = scene.must(tcp_counter("TCPOFOQueue"));
    scene.inject({.what = FaultKind::kDrop,
                  .match = {.protocol = FaultProtocol::kTcp,
                            .payload = true,
                            .queue = static_cast<uint16_t>(rx.queue()),
                            .skip = 2,
                            .count = 1}});
    scene.inject({.what = FaultKind::kDrop,
                  .port = 1,
                  .match = {.protocol = FaultProtocol::kTcp, .payload = false}});
    // In parts, so that the driver can post what came back in between.
    constexpr uint64_t kPart = 50 * 1388;
    constexpr unsigned kParts = 7;
    for (unsigned i = 0; i < kParts; ++i) {
        rx.peer(stream).send_more(kPart);
        std::this_thread::sleep_for(scene.scaled(15ms));
    }
    rx.peer(stream).send_more(kBurst - kParts * kPart);
    std::this_thread::sleep_for(scene.scaled(60ms));
    auto full = device_counters(scene, 0);
    scene.note("Before the faults end the device has " +
               std::to_string(full["rx" + queue + "_posted"]) + " buffers.");
    scene.must(scene.target().clear_faults());

    // Far more than a sender waits before it sends again (at least 200 ms, doubled each time).
    const RunEnd end =
        scene.must(rx.receiver().run_until_bytes(stream, kWarmUp + kBurst, scene.scaled(8s)));
    auto after = device_counters(scene, 0);
    const auto moved = [&](const std::string& name) {
        const std::string key = "rx" + queue + "_" + name;
        return after[key] - before[key];
    };
    const std::string seen =
        "received " + std::to_string(rx.receiver().state(stream).bytes - kWarmUp) + " of " +
        std::to_string(kBurst) + " bytes after the loss; TCP queued " +
        std::to_string(scene.must(tcp_counter("TCPOFOQueue")) - queued_before) +
        " segments out of order; the device filled " + std::to_string(moved("buffers")) +
        " buffers, has " + std::to_string(after["rx" + queue + "_posted"]) +
        " that it may fill, and dropped " + std::to_string(moved("no_buffer")) +
        " packets for want of one; the area has " + std::to_string(pages) + ", the user holds " +
        std::to_string(rx.receiver().held());
    scene.note(seen);
    EXPECT_EQ(end, RunEnd::kSatisfied) << seen;
    rx.peer(stream).stop();
    rx.abandon();
}

}  // namespace
}  // namespace zcrxlab::exhaustion_stall
