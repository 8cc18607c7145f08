// MemoryTraffic: how many bytes go between the processors and their memory, where the machine
// counts that (the memory controllers of servers; no virtual machine does).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/fd.hpp"
#include "harness/base/result.hpp"

namespace zcrxlab {

// One counter of a memory controller, as perf_event_open(2) wants it.
struct TrafficCounter {
    std::string name;  // "uncore_imc_0/cas_count_read"
    uint32_t type = 0;
    uint64_t config = 0;
    uint32_t cpu = 0;
    double bytes = 64;  // of each count
    bool operator==(const TrafficCounter&) const = default;
};

// From /sys below `root`; empty where there are none.
std::vector<TrafficCounter> traffic_counters(const std::filesystem::path& root);

class MemoryTraffic {
  public:
    // Starts counting. ENOTSUP where the machine has no such counters; EACCES where we may not.
    static Result<MemoryTraffic> start();
    // Bytes read and written since then.
    uint64_t bytes() const;

  private:
    struct Open {
        Fd fd;
        double bytes;
    };
    std::vector<Open> open_;
};

}  // namespace zcrxlab
