// RefillRing: the user's side of the ring through which buffers go back to the kernel.
//
// It knows addresses, not rings: unit tests give it plain memory and play the kernel by moving the
// head. One thread only, but any thread may ask for the indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/uapi/zcrx.hpp"

namespace zcrxlab {

class RefillRing {
  public:
    RefillRing() = default;
    // `region` is the memory shared with the kernel, laid out as `offsets` say (as the kernel
    // returned them), with `entries` (a power of two) entries. Indices go on from where they are.
    RefillRing(std::byte* region, const uapi::ZcrxOffsets& offsets, uint32_t entries);

    uint32_t entries() const { return entries_; }
    // The kernel's index (acquire), and ours with what was pushed and not published yet.
    uint32_t head() const { return __atomic_load_n(head_, __ATOMIC_ACQUIRE); }
    uint32_t tail() const { return __atomic_load_n(&tail_, __ATOMIC_ACQUIRE); }
    // Entries that may be written now; 0 too when the head makes no sense.
    uint32_t space() const {
        if (entries_ == 0) return 0;
        const uint32_t used = tail_ - head();
        return used > entries_ ? 0 : entries_ - used;
    }

    // Writes one entry; false, with nothing written, when there is no space. The kernel sees it
    // after publish().
    bool push(uint64_t offset, uint32_t length, uint32_t padding = 0) {
        if (space() == 0) return false;
        push_unchecked(offset, length, padding);
        return true;
    }
    // Publishes what was pushed (release): its entries are written before the new tail is.
    void publish() { __atomic_store_n(tail_word_, tail_, __ATOMIC_RELEASE); }

    // Without the space check, to overrun the ring on purpose.
    void push_unchecked(uint64_t offset, uint32_t length, uint32_t padding = 0) {
        rqes_[tail_ & (entries_ - 1)] = {offset, length, padding};
        __atomic_store_n(&tail_, tail_ + 1, __ATOMIC_RELEASE);
    }
    // Publishes any tail at all; pushes go on from there.
    void publish_tail(uint32_t tail);

  private:
    uint32_t* head_ = nullptr;
    uint32_t* tail_word_ = nullptr;
    uapi::ZcrxRqe* rqes_ = nullptr;
    uint32_t entries_ = 0;
    uint32_t tail_ = 0;
};

}  // namespace zcrxlab
