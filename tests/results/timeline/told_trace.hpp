// A trace of one ring that receives, with times as in an emulated guest, for tests and pages.
#pragma once

#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "results/timeline/timeline.hpp"

namespace zcrxlab {

struct ToldShape {
    uint32_t packets = 40;
    uint32_t pages = 64;
    uint32_t held = 8;      // CQEs that the user holds before it gives the oldest back
    bool stamps = true;     // the device says when it wrote
    uint32_t twice = 0;     // not 0: the buffer of this CQE is handed out again in the next one
    std::string note = {};  // words at its end
};

inline constexpr int64_t kMillisecond = 1'000'000;

// Of the guest's clock, and what the device's has more.
inline constexpr int64_t kToldBegin = 9'500'000'000;
inline constexpr int64_t kDeviceAhead = 54'772'000'000'000;

inline constexpr uint32_t kTester = 312, kSender = 313;  // threads

// Packet n is posted at n ms, written at n ms + 300 us, and delivered at n ms + 500 us after the
// begin of the data, which is 10 ms after the begin of the trace; each fills a page. All invariants
// hold unless `twice` is set.
std::vector<Event> told_trace(const ToldShape& shape = {});
inline constexpr int64_t kToldData = 10'000'000;

RecordedTest told_test(const ToldShape& shape = {});
// The n-th event of a kind, from 0; aborts if there is none.
template <typename Body>
size_t index_of(const std::vector<Event>& events, size_t n = 0) {
    for (size_t i = 0; i < events.size(); ++i)
        if (std::holds_alternative<Body>(events[i].body) && n-- == 0) return i;
    std::abort();
}
template <typename Body>
Body& nth(std::vector<Event>& events, size_t n = 0) {
    return std::get<Body>(events[index_of<Body>(events, n)].body);
}

// The timeline of it, without anything around it.
Timeline told_story(const ToldShape& shape = {});

}  // namespace zcrxlab
