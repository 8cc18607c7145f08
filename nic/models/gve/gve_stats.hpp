// StatsReport: the device's share of the statistics page that the driver gives to the device.
#pragma once

#include <cstdint>
#include <deque>

#include "nic/models/gve/gve_context.hpp"
#include "nic/models/gve/gve_rx.hpp"

namespace zcrxlab::nic::gve {

class StatsReport {
  public:
    // The page is `length` bytes at guest address `address`.
    void attach(uint64_t address, uint64_t length) {
        address_ = address;
        length_ = length;
    }
    void detach() { attach(0, 0); }

    // Writes the statistics of all live receive queues, in ascending order, to the page's end,
    // where ethtool's code in the driver (gve_get_ethtool_stats) looks for them. False if it is no
    // memory, which the driver is told of; a page without room for all stays as it is.
    bool publish(GveContext& context, const std::deque<RxQueue>& queues);
    // As publish(), but only if a drop was counted since the last time.
    bool publish_if_changed(GveContext& context, const std::deque<RxQueue>& queues);

  private:
    static uint64_t drops(const Counters& counters);

    uint64_t address_ = 0;
    uint64_t length_ = 0;
    uint64_t published_drops_ = 0;
};

}  // namespace zcrxlab::nic::gve
