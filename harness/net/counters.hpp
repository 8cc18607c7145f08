// Counters of the whole system that a test must leave as they were: pins and locked memory (I6).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"

namespace zcrxlab {

struct MemoryCounters {
    int64_t pinned_pages = 0;  // nr_foll_pin_acquired - nr_foll_pin_released, system-wide
    int64_t pinned_kb = 0;     // VmPin of this process
    int64_t locked_kb = 0;     // VmLck of this process
};

// Now, after the per-CPU parts were gathered (/proc/sys/vm/stat_refresh, which needs root).
Result<MemoryCounters> read_memory_counters();
// Those in the texts of /proc/vmstat and /proc/PID/status; ENODATA if one is not there.
Result<MemoryCounters> memory_counters_in(std::string_view vmstat, std::string_view status);

// A counter of the TcpExt table of the network namespace at `space` (empty: this one), as
// /proc/net/netstat has it. ENODATA if this kernel has none of that name.
Result<uint64_t> tcp_counter(const std::string& name, const std::string& space = {});
// The same in the text of that file.
Result<uint64_t> tcp_counter_in(std::string_view netstat, std::string_view name);

// How many objects of each cache are taken, in the text of /proc/slabinfo; what a processor keeps
// back for itself counts as taken. Lines of another form are left out.
std::map<std::string, int64_t> slab_objects_in(std::string_view slabinfo);

// A cache that grew from each count to the next.
struct GrowingCache {
    std::string name;
    std::vector<int64_t> objects;  // in each of at least two counts
    // From the first of these to the last.
    int64_t more() const { return objects.back() - objects.front(); }
    bool operator==(const GrowingCache&) const = default;
};
// The caches that have at least `least` objects more in each of `counts` than in the one before;
// those that grew most come first. What the rest of a machine takes beside does not come at that
// pace.
std::vector<GrowingCache> growing_caches(std::span<const std::map<std::string, int64_t>> counts,
                                         int64_t least);

// "name value" lines as in /proc/vmstat; lines of another form are left out.
std::map<std::string, int64_t> parse_name_values(std::string_view text);
// The kB behind "Name:" in the text of /proc/PID/status.
std::optional<int64_t> parse_status_kb(std::string_view text, std::string_view name);

}  // namespace zcrxlab
