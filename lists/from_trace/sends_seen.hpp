// SendsSeen: turns the writes of a peer into the "cut" of a send.
#pragma once

#include <cstdint>
#include <vector>

namespace zcrxlab {

struct Cut {
    std::vector<uint64_t> bytes;  // of each write, used in turn; at most 64
    bool exact = true;            // false: there were more, and not in turn
};

// The shortest cut that makes these writes again.
Cut cut_of(const std::vector<uint64_t>& writes);

}  // namespace zcrxlab
