// ReturnsSeen: explains how the buffers of an ifq went back: by a policy, and by what went beyond
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/trace/event.hpp"

namespace zcrxlab {

struct ReturnsSeen {
    // For the action "policy".
    std::string policy = "at_once";
    uint32_t hold = 0;
    // Returns that the policy does not explain: the index of the first event of each run of them.
    struct Run {
        size_t count = 0;
        bool newest = false;  // first
        bool all = false;     // nothing is held behind it
    };
    std::map<size_t, Run> runs = {};
    // Returns that neither a policy nor a run has: these went back in an order of their own.
    size_t unexplained = 0;
    bool cut_off = false;  // the trace ends before what was due went back
};

// What explains most of the returns of this ifq. CQEs of the streams `without` count for nothing.
ReturnsSeen returns_seen(const std::vector<Event>& events, uint32_t ifq,
                         const std::set<uint32_t>& without);

}  // namespace zcrxlab
