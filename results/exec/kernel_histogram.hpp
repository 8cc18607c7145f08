// KernelHistogram: the histograms that triggers of the kernel's events add up, as it prints them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zcrxlab {

// "{ common_pid: server [ 113], ifq: 18446620 } hitcount: 46 len: 1572864"
struct HistogramRow {
    std::map<std::string, std::string, std::less<>> keys;  // blanks at both ends cut off
    std::map<std::string, uint64_t, std::less<>> values;   // "hitcount" is one of them

    bool has(std::string_view key) const { return keys.contains(key); }
    // The key as a number; nothing if there is no such key or it is none.
    std::optional<int64_t> number(std::string_view key) const;
    uint64_t value(std::string_view name) const;  // 0 if there is none
};

// All rows of all histograms in the text. What is not understood is left out: the text comes from a
// guest.
std::vector<HistogramRow> parse_histograms(std::string_view text);
// How many hits found no place in them.
uint64_t dropped_hits(std::string_view text);

// A task as the modifier .execname shows it: "my server [ 113]".
struct TaskName {
    int64_t pid = -1;
    std::string name;
};
std::optional<TaskName> parse_task(std::string_view text);

}  // namespace zcrxlab
