// Recording: what a run has left of its scenarios: the trace, the wire's capture, the device's log.
//
// Each reader takes the bytes of a file and is told nothing of where they lie. All of it came from
// elsewhere: what is cut or no such file is EINVAL with a sentence, never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

// The readers take no time at or above this for one, so that any three can be added up.
inline constexpr uint64_t kLatestTime = uint64_t{1} << 61;  // nanoseconds

// The events of one scenario, in order.
struct RecordedTest {
    std::string name = {};  // empty: the trace names none
    std::vector<Event> events = {};
    uint64_t left_out = 0;  // events that the run did not keep; what passed is cut
    bool log_cut = false;   // entries of a DMA log were left out

    // Whether all is there that a verdict needs.
    bool whole() const { return left_out == 0 && !log_cut; }
};

// trace.jsonl: an event a line, those of a scenario together. Never empty.
Result<std::vector<RecordedTest>> read_trace(std::string_view text);

// A frame of the capture. Times are those of the host's wall clock.
struct Frame {
    uint64_t nanoseconds = 0;
    unsigned port = 0;        // that received it
    uint32_t length = 0;      // on the wire, headers included
    std::string text = {};    // "TCP 192.0.2.2:40000 > 192.0.2.1:7 [PA] sequence 1 length 4096"
    std::string harmed = {};  // what a fault did to it, or why it was dropped
    // Of TCP only; family 0 otherwise.
    uint8_t family = 0;
    uint16_t source_port = 0, destination_port = 0;
    uint32_t sequence = 0, payload = 0;  // of the first payload byte, and how many
    bool syn = false, ack = false;
};

struct Capture {
    std::vector<Frame> frames = {};
    bool cut = false;  // it ends in the middle of a block, as after a kill
};

// wire.pcapng, little-endian, as zcrx-nic writes it; other blocks than packets are stepped over.
Result<Capture> read_capture(std::span<const std::byte> bytes);

// A line of the device's log. Times are those of the host's monotonic clock.
struct DeviceLine {
    uint64_t nanoseconds = 0;
    unsigned port = 0;
    std::string what = {};  // "fault drop", "dropped", "device", "reset" ...
    std::string text = {};
};

// device.log.
Result<std::vector<DeviceLine>> read_device_log(std::string_view text);

// All that lies in one folder.
struct Recording {
    std::vector<RecordedTest> tests;
    std::vector<Frame> frames;
    std::vector<DeviceLine> device;
};

}  // namespace zcrxlab
