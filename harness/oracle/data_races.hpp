// Data races: what KCSAN writes into the kernel log (kernel/kcsan/report.c:print_report).
//
// It tells of races anywhere in the kernel. One is a violation if a function of zero-copy receive,
// of page pools, of queues or of a NIC's driver makes one of the two accesses, or has a function of
// lists, arrays, references or memory make it. Any other one is shown, and breaks nothing. Of a
// report that is not whole nobody knows whose it is, which is a violation, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

struct RacingAccess {
    std::string what;                    // "read of 4 bytes", "write (marked) of 8 bytes"
    std::vector<std::string> functions;  // that of the access first, then its callers
};

struct DataRace {
    std::string title;  // "BUG: KCSAN: data-race in f / g"
    // Two, or one if the other was not seen: a device, or a program, wrote to the kernel's memory.
    std::vector<RacingAccess> accesses;
    bool whole = false;
    size_t end = 0;  // index of the event with the last line; of the first one if it is not whole
};

// Whether this line, without its time stamp, is the first or the last one of a report.
bool begins_race(std::string_view line);
bool ends_race(std::string_view line);

// Whether these lines of the kernel log end in the middle of a report.
bool end_inside_a_race(const std::vector<KernelMessage>& messages);

// The report whose first line is the event `first`, a KernelMessage.
DataRace read_race(Events events, size_t first);

// Whether a function of the kernel is of what zero-copy receive lives in.
bool is_of_zero_copy(std::string_view function);
bool concerns_zero_copy(const DataRace& race);

// The title with what each function did, "BUG: KCSAN: data-race in f (read of 4 bytes) / g (write
// of 4 bytes)": what a known finding names it by.
std::string subject_of(const DataRace& race);

// The subjects of the races that are not about what zero-copy receive lives in, as they come.
std::vector<std::string> races_elsewhere(const std::vector<KernelMessage>& messages);

}  // namespace zcrxlab
