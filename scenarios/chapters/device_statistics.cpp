// Chapter device: what the driver's statistics say is what came.
#include <gtest/gtest.h>

#include <string_view>

#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/statistics.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::device_statistics {
namespace {

constexpr uint64_t kMiB = 1U << 20;
const Needs kDevice{.where = Where::kDevice, .faults = true, .flow_rules = true, .emulated = true};

SCENARIO(device, statistics, "ethtool's statistics count each packet that came, and its queue",
         kDevice) {
    const StatisticNames names = statistic_names(scene);
    Statistics statistics(scene);
    statistics.settle([&] { EXPECT_EQ(exchange(scene, {.bytes = 1000, .count = 1}), ""); });
    EXPECT_EQ(exchange(scene, {.bytes = 1000, .count = 64}), "");
    // Neighbour discovery and the like come on top.
    for (const std::string_view name : {names.received, names.sent}) {
        statistics.wait_for(64, [&] { return statistics.of_all(name); });
        EXPECT_LE(statistics.of_all(name), 84U) << name;
    }
    EXPECT_GE(statistics.of_queue(names.received_bytes, 0), 64U * 1000);
    EXPECT_EQ(statistics.of_queue(names.dropped, 0), 0U);
}

SCENARIO(device, split_statistics, "ethtool's statistics count what header split took apart",
         kDevice) {
    const StatisticNames names = statistic_names(scene);
    if (names.split.empty())
        GTEST_SKIP() << "The driver does not count what was split; type: zcrxlab run --nic gve";
    ReceivePath rx(scene, {.queue = 1});
    Statistics statistics(scene);
    rx.connect({.bytes = kMiB});
    rx.receive_all();
    statistics.wait_for(kMiB, [&] { return statistics.of_queue(names.received_bytes, 1); });
    EXPECT_GT(statistics.of_all(names.split), 0U);
    EXPECT_EQ(statistics.of_all(names.unsplit), 0U);
}

// The driver cannot see these; the device reports them.
SCENARIO(device, drop_statistics, "what the NIC dropped for want of a buffer is in the statistics",
         kDevice) {
    const StatisticNames names = statistic_names(scene);
    scene.inject(
        {.what = FaultKind::kNoBuffer,
         .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 10, .count = 5}});
    ReceivePath rx(scene, {.queue = 1});
    const uint64_t dropped = device_counters(scene)["rx1_no_buffer"];
    Statistics statistics(scene);
    statistics.settle([&] { EXPECT_EQ(exchange(scene, {.bytes = 1000, .count = 1}), ""); });
    rx.connect({.bytes = kMiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(device_counters(scene)["rx1_no_buffer"] - dropped, 5U);
    statistics.wait_for(5, [&] { return statistics.of_queue(names.no_buffer, 1); });
    EXPECT_EQ(statistics.of_queue(names.no_buffer, 1), 5U);
}

}  // namespace
}  // namespace zcrxlab::device_statistics
