// Statistics: what `ethtool -S` of the interface under test has counted, by what and not by the
// driver's own names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/nics/nic_table.hpp"
#include "scenarios/framework/scene.hpp"

namespace zcrxlab {

// How the driver calls them; all of them empty where nobody has said.
StatisticNames statistic_names(Scene& scene);

// Buffers that a receive queue could not allocate, as its driver counts them for netlink.
uint64_t allocation_failures(Scene& scene, uint32_t queue);

// The statistics, from when it was made on.
class Statistics {
  public:
    explicit Statistics(Scene& scene) : scene_(scene), before_(read()) {}

    // Begins anew, with what has come so far counted: some drivers read their device's counters
    // every second only. `packet` makes one packet come, so that the next time they do so shows.
    void settle(const std::function<void()>& packet);
    // What a counter of one queue has grown by, or of the NIC where its name is not of a queue; a
    // name that is not there is a failure that says so.
    uint64_t of_queue(std::string_view name, uint32_t queue);
    // The same, of all queues together.
    uint64_t of_all(std::string_view name);
    // Until `growth` is so much. Fails the scenario if it is not in time.
    void wait_for(uint64_t least, const std::function<uint64_t()>& growth);

  private:
    std::map<std::string, uint64_t> read();

    Scene& scene_;
    std::map<std::string, uint64_t> before_;
};

}  // namespace zcrxlab
