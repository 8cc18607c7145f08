// Reads the statistics of the driver, and subtracts.
#include "scenarios/framework/statistics.hpp"

#include <gtest/gtest.h>

#include "harness/net/driver_statistics.hpp"

namespace zcrxlab {

StatisticNames statistic_names(Scene& scene) {
    const NicRow* row = find_target(scene.target().name());
    return row != nullptr ? row->statistics : StatisticNames{};
}

uint64_t allocation_failures(Scene& scene, uint32_t queue) {
    for (const QueueStatistics& one : scene.must(scene.nic().netdev().statistics()))
        if (one.receive && one.id == queue) return one.allocation_failures();
    return 0;
}

void Statistics::settle(const std::function<void()>& packet) {
    before_ = read();
    packet();
    scene_.wait_for("The driver does not count a packet.", [&] { return read() != before_; });
    before_ = read();
}

uint64_t Statistics::of_queue(std::string_view name, uint32_t queue) {
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

uint64_t Statistics::of_all(std::string_view name) {
    if (name.find('#') == std::string_view::npos) return of_queue(name, 0);
    const Channels channels = scene_.must(scene_.nic().ethtool().channels());
    uint64_t sum = 0;
    for (uint32_t queue = 0; queue < channels.receive(); ++queue) sum += of_queue(name, queue);
    return sum;
}

void Statistics::wait_for(uint64_t least, const std::function<uint64_t()>& growth) {
    const auto is_there = [&] { return growth() >= least || testing::Test::HasFailure(); };
    EXPECT_TRUE(scene_.becomes(is_there));
}

std::map<std::string, uint64_t> Statistics::read() {
    return scene_.must(driver_statistics(scene_.endpoints().interface));
}

}  // namespace zcrxlab
