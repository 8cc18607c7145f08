// ReceiveFacts: what the kernel counted of a receiver in one situation, as far as it is judged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/exec/zcrx_report.hpp"

namespace zcrxlab {

// Of one queue that the program took. What is empty was not counted.
struct QueueFacts {
    uint64_t pieces = 0;                      // CQEs with payload
    uint64_t starved = 0;                     // how often there was no buffer for the NIC
    std::optional<uint64_t> given_back = {};  // entries that the program put into the refill ring
    std::optional<uint64_t> unreadable = {};  // of these, with an area or buffer that is not there
    bool flushes = false;                     // or may have done so: then nobody can tell of that
    std::optional<uint64_t> most_in_ring = {};  // entries at once
    std::optional<uint64_t> ring_entries = {};  // that the ring has room for
    std::optional<uint64_t> area_buffers = {};
    std::optional<uint64_t> cq_entries = {};
    std::optional<uint64_t> posted_at_opening = {};  // buffers, by the driver, before any packet
};

// Of a stream of the peer's, how its requests ended that did not end it.
struct StreamRequests {
    std::set<int> ended_by;        // -ENOSPC, -ENOMEM
    bool none_afterwards = false;  // and no request was armed again; false if that is not known
};

struct ReceiveFacts {
    // Why bytes and pieces are not known; empty if they are, and exactly.
    std::string not_counted = "the guest told nothing of it";
    uint64_t bytes = 0, copied = 0;
    uint64_t cq_full = 0;                    // CQEs that found no room
    std::map<int, uint64_t> errors;          // how requests ended, by errno below 0
    std::map<int, uint64_t> registered;      // outcomes of registrations: 0 or an errno below 0
    std::map<uint16_t, uint64_t> by_stream;  // bytes by the peer's port
    std::map<uint16_t, StreamRequests> requests;  // of those that have any, by the peer's port
    std::vector<QueueFacts> queues;
    uint64_t left = 0;  // queues still taken a while after the program's end
};

ReceiveFacts facts_of(const ZcrxReport& report);

}  // namespace zcrxlab
