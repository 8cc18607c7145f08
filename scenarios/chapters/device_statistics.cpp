// Chapter device: what the driver's statistics say is what came.
#include <gtest/gtest.h>

#include "harness/net/driver_statistics.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::device_statistics {
namespace {

constexpr uint64_t kMiB = 1U << 20;
const Needs kDevice{.where = Where::kDevice, .faults = true, .flow_rules = true, .emulated = true};

std::map<std::string, uint64_t> statistics(Scene& scene) {
    return scene.must(driver_statistics(scene.endpoints().interface));
}

// What a counter has grown by; a name that is not there is a failure that says so.
uint64_t growth(const std::map<std::string, uint64_t>& before,
                const std::map<std::string, uint64_t>& after, const std::string& name) {
    const auto from = before.find(name), to = after.find(name);
    if (from == before.end() || to == after.end()) {
        ADD_FAILURE() << "the driver has no statistic " << name;
        return 0;
    }
    return to->second - from->second;
}

SCENARIO(device, statistics, "ethtool's statistics count each packet that came, and its queue",
         kDevice) {
    const auto before = statistics(scene);
    EXPECT_EQ(exchange(scene, {.bytes = 1000, .count = 64}), "");
    const auto after = statistics(scene);
    // Neighbour discovery and the like come on top.
    for (const char* name : {"rx_packets", "tx_packets"}) {
        EXPECT_GE(growth(before, after, name), 64U) << name;
        EXPECT_LE(growth(before, after, name), 84U) << name;
    }
    EXPECT_GE(growth(before, after, "rx_bytes[0]"), 64U * 1000);
    EXPECT_EQ(growth(before, after, "rx_dropped_pkt[0]"), 0U);
}

SCENARIO(device, split_statistics, "ethtool's statistics count what header split took apart",
         kDevice) {
    ReceivePath rx(scene, {.queue = 1});
    const auto before = statistics(scene);
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    const auto after = statistics(scene);
    EXPECT_GT(growth(before, after, "rx_hsplit_pkt"), 0U);
    EXPECT_GE(growth(before, after, "rx_bytes[1]"), kMiB);
    EXPECT_EQ(growth(before, after, "rx_hsplit_unsplit_pkt"), 0U);
}

// The driver cannot see these; the device reports them.
SCENARIO(device, drop_statistics, "what the NIC dropped for want of a buffer is in the statistics",
         kDevice) {
    scene.inject(
        {.what = FaultKind::kNoBuffer,
         .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 10, .count = 5}});
    ReceivePath rx(scene, {.queue = 1});
    const uint64_t dropped = device_counters(scene)["rx1_no_buffer"];
    const auto before = statistics(scene);
    rx.connect({.bytes = kMiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(device_counters(scene)["rx1_no_buffer"] - dropped, 5U);
    EXPECT_EQ(growth(before, statistics(scene), "rx_no_buffers_posted[1]"), 5U);
}

}  // namespace
}  // namespace zcrxlab::device_statistics
