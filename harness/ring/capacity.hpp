// CapacityCount: which buffers were handed out while none went back.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zcrxlab {

class Ifq;

struct CapacityCount {
    explicit CapacityCount(const Ifq* counted) : ifq(counted) {}

    // A CQE of `length` bytes at a CQE offset.
    void add(uint64_t offset, uint32_t length, uint32_t buffer_size);
    // What is behind a CQE offset goes back: it was counted, and may come again.
    void give_back(uint64_t offset, uint32_t buffer_size);

    const Ifq* ifq;
    // Buffer (CQE offset / buffer size) -> the ranges of bytes in it that were handed out.
    std::unordered_map<uint64_t, std::vector<std::pair<uint32_t, uint32_t>>> taken;
    uint64_t handed_twice = 0;  // CQEs that overlap an earlier one
    uint64_t cqes = 0;
};

}  // namespace zcrxlab
