// Timeline: what happened in one scenario, as items in lanes, and where it broke what was promised.
//
// Pure functions: text and page show a Timeline and know nothing of events or files.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/report.hpp"
#include "results/timeline/clocks.hpp"
#include "results/timeline/owners.hpp"

namespace zcrxlab {

// What an item is, for colours and for what may be folded.
enum class ItemKind : uint8_t {
    kSetup,    // something was registered, opened or closed
    kRequest,  // a request was submitted
    kData,     // a CQE with data
    kEnd,      // a CQE without data: an end or an error
    kReturn,   // a buffer was given back
    kSent,     // the peer has sent
    kWrite,    // the device wrote into memory
    kFrame,    // a frame on the wire
    kHarm,     // a fault, or a packet dropped
    kKernel,   // a line of the kernel log
    kCheck,    // something was compared
    kNote,     // words
};
inline constexpr size_t kItemKinds = 12;
std::string_view name_of(ItemKind kind);  // "data", "return" ...

struct Lane {
    enum class Of : uint8_t { kWire, kDevice, kKernel, kRing, kThread };
    Of of = Of::kThread;
    std::string name = {};   // "ring of ifq 1, eth0 queue 1"
    std::string brief = {};  // "ring 1"
};

struct Item {
    static constexpr uint16_t kNoLane = std::numeric_limits<uint16_t>::max();
    static constexpr size_t kNoEvent = std::numeric_limits<size_t>::max();

    int64_t at = 0;             // nanoseconds since the timeline began
    uint16_t lane = 0;          // index into Timeline::lanes
    uint16_t thread = kNoLane;  // the lane of the thread that did it, if that is another
    ItemKind kind = ItemKind::kNote;
    size_t event =
        kNoEvent;           // index of the event of the trace; wire and device have items of others
    uint64_t bytes = 0;     // of data
    std::string text = {};  // one line
};

struct Breach {
    size_t item = 0;            // at which it shows
    std::string name = {};      // "I3"; empty: what the scenario itself found
    std::string sentence = {};  // what was expected and what was seen
};

struct Timeline {
    std::string test = {};
    std::optional<TestStatus> status = {};  // nothing: no results were at hand
    std::string message = {};               // what the run said of it
    double seconds = 0;
    int64_t began = 0;                   // of the first event, on the guest's clock
    uint64_t left_out = 0;               // events that the run did not keep
    bool judged = false;                 // the invariants were looked at: all of the trace is here
    std::vector<Lane> lanes = {};        // wire, device, kernel log, rings, threads
    std::vector<Item> items = {};        // by time
    std::vector<AreaOwners> areas = {};  // times since the timeline began
    std::vector<Breach> failures = {};   // by item
};

// `verdict` is what the run said of the test; null if that is not known.
Timeline timeline_of(const RecordedTest& test, const Surroundings& around,
                     const TestResult* verdict);

// The tests of a recording that `wanted` names. `results` may be null.
std::vector<Timeline> timelines_of(const Recording& recording, const RunSummary* results,
                                   const std::function<bool(const std::string&)>& wanted);

}  // namespace zcrxlab
