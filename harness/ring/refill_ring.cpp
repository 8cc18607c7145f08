// Writes entries and publishes them; the order of memory accesses is the whole point.
#include "harness/ring/refill_ring.hpp"

namespace zcrxlab {

RefillRing::RefillRing(std::byte* region, const uapi::ZcrxOffsets& offsets, uint32_t entries)
    : head_(reinterpret_cast<uint32_t*>(region + offsets.head)),
      tail_word_(reinterpret_cast<uint32_t*>(region + offsets.tail)),
      rqes_(reinterpret_cast<uapi::ZcrxRqe*>(region + offsets.rqes)),
      entries_(entries),
      tail_(__atomic_load_n(tail_word_, __ATOMIC_RELAXED)) {}

uint32_t RefillRing::head() const {
    return __atomic_load_n(head_, __ATOMIC_ACQUIRE);
}

uint32_t RefillRing::space() const {
    if (entries_ == 0) return 0;
    const uint32_t used = tail_ - head();
    return used > entries_ ? 0 : entries_ - used;
}

bool RefillRing::push(uint64_t offset, uint32_t length, uint32_t padding) {
    if (space() == 0) return false;
    push_unchecked(offset, length, padding);
    return true;
}

void RefillRing::push_unchecked(uint64_t offset, uint32_t length, uint32_t padding) {
    rqes_[tail_ & (entries_ - 1)] = {offset, length, padding};
    ++tail_;
}

void RefillRing::publish() {
    __atomic_store_n(tail_word_, tail_, __ATOMIC_RELEASE);
}

void RefillRing::publish_tail(uint32_t tail) {
    tail_ = tail;
    publish();
}

}  // namespace zcrxlab
