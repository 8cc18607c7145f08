// Outcome: what came of a run of one test, in a form in which two runs can be compared.
//
// Times, the sizes of CQEs and the order of buffers differ from run to run; who got how many bytes,
// how requests ended, what was refused and which invariants broke do not.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/report/report.hpp"
#include "harness/trace/event.hpp"

namespace zcrxlab {

struct Outcome {
    TestStatus status = TestStatus::kLost;
    std::set<std::string> broken = {};  // invariants: "I1" ...
    struct Stream {
        uint64_t bytes = 0;      // received
        std::set<int32_t> ends;  // results of CQEs without data
        bool operator==(const Stream&) const = default;
    };
    std::vector<Stream> streams = {};    // that were received, in the order of their connections
    std::vector<std::string> ifqs = {};  // "queue 1, refill ring of 64, area of 64KiB" ...
    std::multiset<std::string> refused = {};  // errnos of calls
    std::multiset<std::string> faults = {};
};

Outcome outcome_of(TestStatus status, const std::vector<Event>& events);

// What is not the same, as sentences; empty: the second run did again what the first one did.
std::vector<std::string> differences(const Outcome& first, const Outcome& again);

}  // namespace zcrxlab
