// RingMemory: where the entries of a ring lie: in one piece, or in pages that a table names.
#include "nic/models/bnxt/datapath/bnxt_ring_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace zcrxlab::nic::bnxt {
namespace {

constexpr uint8_t kSmallestPage = 12;
constexpr uint8_t kLargestPage = 16;
// The low bits of a table's entry say which one is the last, and are not needed.
constexpr uint64_t kPageFlags = 0xfff;

}  // namespace

Result<RingMemory> RingMemory::from(const RingAllocate& request, Dma& dma) {
    RingMemory ring;
    ring.size_ = request.length;
    if (!std::has_single_bit(ring.size_) || ring.size_ > kLongest)
        return Error{EINVAL, fmt::format("its length is {}, and must be 1, 2, 4 ... {}", ring.size_,
                                         kLongest)};
    if (request.table_depth == 0) {
        ring.pages_ = {request.memory};
        ring.per_page_ = ring.size_;
        return ring;
    }
    if (request.table_depth > 1 || request.page_shift < kSmallestPage ||
        request.page_shift > kLargestPage)
        return Error{EINVAL, fmt::format("its memory is given by {} tables of pages of 2^{} bytes",
                                         request.table_depth, request.page_shift)};
    ring.per_page_ = (uint32_t{1} << request.page_shift) / sizeof(Entry);
    std::vector<Le64> table((ring.size_ + ring.per_page_ - 1) / ring.per_page_);
    if (!dma.read(request.memory, std::as_writable_bytes(std::span(table))))
        return Error{EFAULT, "the table of its pages"};
    for (const Le64& page : table) ring.pages_.push_back(page & ~kPageFlags);
    return ring;
}

uint64_t RingMemory::address_of(uint32_t index) const {
    return pages_[index / per_page_] + uint64_t{index % per_page_} * sizeof(Entry);
}

bool RingMemory::read(Dma& dma, uint32_t first, std::span<BufferDescriptor> out) const {
    while (!out.empty()) {
        const uint32_t to_end = std::min(size_ - first, per_page_ - first % per_page_);
        const size_t run = std::min<size_t>(out.size(), to_end);
        if (!dma.read(address_of(first), std::as_writable_bytes(out.first(run)))) return false;
        first = (first + static_cast<uint32_t>(run)) & (size_ - 1);
        out = out.subspan(run);
    }
    return true;
}

}  // namespace zcrxlab::nic::bnxt
