// A trace in which everything holds, to be damaged in one place by each test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/oracle/oracle.hpp"

namespace zcrxlab {

// Its ring, as its ifq has it.
inline constexpr uint32_t kRingOfGoodTrace = 5;

struct TraceShape {
    uint64_t packets = 12;  // per stream
    uint32_t packet_bytes = 1448;
    uint32_t area_pages = 16;
    uint32_t returned_after = 4;  // CQEs that are held at a time
    bool device = true;           // else ZCRX_REG_NODEV
    bool mixed = false;
};

// Two streams, one over IPv4 and one over IPv6, on one ifq; the initial sequence numbers are just
// below 2^32. Pages are scattered. The peer closes, the buffers are returned, the DMA log is taken
// half way and at the end, and all that belongs to a clean end is there.
std::vector<Event> good_trace(const TraceShape& shape = {});

// The n-th event of a kind, from 0; aborts if there is none.
template <typename Body>
size_t index_of(const std::vector<Event>& events, size_t n = 0) {
    for (size_t i = 0; i < events.size(); ++i)
        if (std::holds_alternative<Body>(events[i].body) && n-- == 0) return i;
    ADD_FAILURE() << "no such event in the trace";
    std::abort();
}
template <typename Body>
Body& nth(std::vector<Event>& events, size_t n = 0) {
    return std::get<Body>(events[index_of<Body>(events, n)].body);
}
template <typename Body>
void erase_nth(std::vector<Event>& events, size_t n = 0) {
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(index_of<Body>(events, n)));
}
void insert_at(std::vector<Event>& events, size_t index, EventBody body);

// The log entry that brought the bytes of the n-th CQE.
DmaLogEntry& entry_of_cqe(std::vector<Event>& events, size_t n);

// Every violation as "I1 @event sentence", one a line.
std::string text_of(const std::vector<Violation>& violations);

// All invariants hold.
void expect_green(const std::vector<Event>& events);
// `invariant` is violated with `words` in one of its sentences, and no other invariant is.
void expect_only(Invariant invariant, const std::vector<Event>& events, const std::string& words);
// As expect_only(), but others may be violated too.
void expect_red(Invariant invariant, const std::vector<Event>& events, const std::string& words);

}  // namespace zcrxlab
