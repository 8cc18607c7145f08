// ForbiddenLog: the newest forbidden requests of the drivers of both ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "nic/forbidden.hpp"

namespace zcrxlab::nic {

// For the control channel: "dma", "doorbell" ...
std::string_view name_of(ForbiddenKind kind);

class ForbiddenLog {
  public:
    // A driver that goes wild asks without end; who reads knows how many are lost.
    static constexpr size_t kKept = 1024;

    struct Entry {
        uint64_t number = 0;  // from 1 on, over both ports
        unsigned port = 0;
        Forbidden asked;
    };
    struct Extract {
        uint64_t newest = 0;  // number of the newest one that there was
        uint64_t lost = 0;    // after the number asked for, and gone
        std::vector<Entry> entries;
    };

    void add(unsigned port, Forbidden asked);
    // At most `limit` of those with a number above `after`, the oldest first.
    Extract extract(uint64_t after, size_t limit) const;

  private:
    std::deque<Entry> entries_;  // consecutive numbers
    uint64_t newest_ = 0;
};

}  // namespace zcrxlab::nic
