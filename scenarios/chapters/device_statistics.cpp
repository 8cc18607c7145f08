// Chapter device: what the driver's statistics say is what came.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/net/driver_statistics.hpp"
#include "harness/nics/nic_table.hpp"
#include "scenarios/chapters/device_datagrams.hpp"
#include "scenarios/framework/scenario.hpp"
#include "scenarios/framework/streams/receive_path.hpp"
#include "scenarios/framework/surroundings/device_state.hpp"

namespace zcrxlab::device_statistics {
namespace {

constexpr uint64_t kMiB = 1U << 20;
const Needs kDevice{.where = Where::kDevice, .faults = true, .flow_rules = true, .emulated = true};

// The statistics of the interface, from when it was made on.
class Statistics {
  public:
    explicit Statistics(Scene& scene) : scene_(scene), before_(read()) {}

    // What a counter of one queue has grown by, or of the NIC where its name is not of a queue; a
    // name that is not there is a failure that says so.
    uint64_t of_queue(std::string_view name, uint32_t queue) {
        std::string whole(name);
        if (const size_t at = whole.find('#'); at != std::string::npos)
            whole.replace(at, 1, std::to_string(queue));
        const auto after = read();
        const auto from = before_.find(whole);
        const auto to = after.find(whole);
        if (from == before_.end() || to == after.end()) {
            ADD_FAILURE() << "the driver has no statistic " << whole;
            return 0;
        }
        return to->second - from->second;
    }
    // The same, of all queues together.
    uint64_t of_all(std::string_view name) {
        if (name.find('#') == std::string_view::npos) return of_queue(name, 0);
        const Channels channels = scene_.must(scene_.nic().ethtool().channels());
        uint64_t sum = 0;
        for (uint32_t queue = 0; queue < channels.receive(); ++queue) sum += of_queue(name, queue);
        return sum;
    }
    // Some drivers read their device's counters every second only.
    void wait_for(uint64_t least, const std::function<uint64_t()>& growth) {
        EXPECT_TRUE(
            scene_.becomes([&] { return growth() >= least || testing::Test::HasFailure(); }));
    }

  private:
    std::map<std::string, uint64_t> read() {
        return scene_.must(driver_statistics(scene_.endpoints().interface));
    }

    Scene& scene_;
    std::map<std::string, uint64_t> before_;
};

StatisticNames names_of(Scene& scene) {
    const NicRow* row = find_target(scene.target().name());
    return row != nullptr ? row->statistics : StatisticNames{};
}

SCENARIO(device, statistics, "ethtool's statistics count each packet that came, and its queue",
         kDevice) {
    const StatisticNames names = names_of(scene);
    Statistics statistics(scene);
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
    const StatisticNames names = names_of(scene);
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
    const StatisticNames names = names_of(scene);
    scene.inject(
        {.what = FaultKind::kNoBuffer,
         .match = {.protocol = FaultProtocol::kTcp, .payload = true, .every = 10, .count = 5}});
    ReceivePath rx(scene, {.queue = 1});
    const uint64_t dropped = device_counters(scene)["rx1_no_buffer"];
    Statistics statistics(scene);
    rx.connect({.bytes = kMiB, .tcp = {.mss = 1400}});
    rx.receive_all();
    EXPECT_EQ(device_counters(scene)["rx1_no_buffer"] - dropped, 5U);
    statistics.wait_for(5, [&] { return statistics.of_queue(names.no_buffer, 1); });
    EXPECT_EQ(statistics.of_queue(names.no_buffer, 1), 5U);
}

}  // namespace
}  // namespace zcrxlab::device_statistics
