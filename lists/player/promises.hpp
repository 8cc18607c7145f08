// Promises: compares what "count" and "buffers" promise with what a trace has.
//
// These are pure functions over a trace, so that tests can show them a kernel that answers wrongly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/oracle/oracle.hpp"
#include "lists/language/list.hpp"

namespace zcrxlab {

// CQEs of the requests of one stream.
struct CqeCounts {
    uint64_t requests = 0;
    uint64_t finals = 0;
    uint64_t data = 0;
};
CqeCounts cqes_of(Events events, uint32_t stream);

// Different buffers of an ifq of which the user has not given back every CQE's reference.
uint64_t buffers_held(Events events, uint32_t ifq);

// Whether all is there that "count" waits for.
bool has_come(const Action& count, const CqeCounts& seen);
// A sentence for each number of "count" that is not as promised.
std::vector<std::string> miscounts(const Action& count, const CqeCounts& seen);

// A sentence for each number of "buffers" that is not as promised; `entries` are those of the
// refill ring between the kernel's index and ours.
std::vector<std::string> misplaced(const Action& buffers, uint64_t held, uint64_t entries);

}  // namespace zcrxlab
