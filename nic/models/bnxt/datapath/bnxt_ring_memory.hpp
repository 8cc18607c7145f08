// RingMemory: where the entries of a ring lie: in one piece, or in pages that a table names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.hpp"
#include "nic/dma.hpp"
#include "nic/models/bnxt/layout/bnxt_descriptors.hpp"
#include "nic/models/bnxt/layout/bnxt_ring_layout.hpp"

namespace zcrxlab::nic::bnxt {

class RingMemory {
  public:
    static constexpr uint32_t kLongest = 65536;  // entries

    // The table is read once, here. EINVAL, with a phrase, for a length that is not 1, 2, 4 ... up
    // to kLongest entries, for pages that are not of 4 to 64 KiB, or for more than one table;
    // EFAULT for a table that is no guest memory.
    static Result<RingMemory> from(const RingAllocate& request, Dma& dma);

    uint32_t size() const { return size_; }  // entries, a power of two
    uint32_t next(uint32_t index) const { return (index + 1) & (size_ - 1); }
    uint32_t distance(uint32_t from, uint32_t to) const { return (to - from) & (size_ - 1); }
    // Of an index below size().
    uint64_t address_of(uint32_t index) const;
    // As many entries as there are in `out` from `first` on, around the end. False if Dma refuses.
    bool read(Dma& dma, uint32_t first, std::span<BufferDescriptor> out) const;

  private:
    std::vector<uint64_t> pages_;
    uint32_t size_ = 0;
    uint32_t per_page_ = 0;  // entries, a power of two
};

}  // namespace zcrxlab::nic::bnxt
