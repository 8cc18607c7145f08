// When the device wrote what its log has, on the guest's clock.
//
// The log is taken at the end of a scenario, so that an event tells of many writes at once. Each
// entry has a time of the device's own clock, of which nothing is known but that a write comes
// before the CQE that delivers it, and before its log was taken: the latest offset that breaks none
// of these is used. Without such times, the same two bounds and the order of the log are all there
// is.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

struct WriteTime {
    const DmaLogEntry* entry = nullptr;
    size_t event = 0;     // index of the DmaWrites that it stands in
    int64_t written = 0;  // nanoseconds of the guest's CLOCK_MONOTONIC; never too early by much
    std::optional<int64_t> posted = {};  // when the driver had posted the buffer
    // The data CQE that delivers the first of its bytes that is delivered; nothing if none does.
    std::optional<size_t> cqe = {};
    // Of payload of a connection of the trace: where in it. Nothing else has a stream.
    std::optional<uint32_t> stream = {};
    uint64_t position = 0;
};

struct WriteTimes {
    std::vector<WriteTime> writes = {};  // in the order of the log
    // To be added to the device's own clock, the one of its log file, for the guest's; nothing if
    // the log has no times. That of the log wraps after 2^32 us, so this is one of many that differ
    // by that.
    std::optional<int64_t> offset = {};
};

// `events` must outlive the result.
WriteTimes write_times(Events events);

}  // namespace zcrxlab
