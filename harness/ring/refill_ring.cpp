// Reads where the indices of the ring begin, and detects tails that make no sense.
#include "harness/ring/refill_ring.hpp"

namespace zcrxlab {

RefillRing::RefillRing(std::byte* region, const uapi::ZcrxOffsets& offsets, uint32_t entries)
    : head_(reinterpret_cast<uint32_t*>(region + offsets.head)),
      tail_word_(reinterpret_cast<uint32_t*>(region + offsets.tail)),
      rqes_(reinterpret_cast<uapi::ZcrxRqe*>(region + offsets.rqes)),
      entries_(entries),
      tail_(__atomic_load_n(tail_word_, __ATOMIC_RELAXED)) {}

void RefillRing::publish_tail(uint32_t tail) {
    __atomic_store_n(&tail_, tail, __ATOMIC_RELEASE);
    publish();
}

}  // namespace zcrxlab
