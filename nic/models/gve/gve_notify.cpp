// Notification blocks: one-shot interrupts with a pending bit, one for each queue vector.
#include "nic/models/gve/gve_notify.hpp"

#include <algorithm>

namespace zcrxlab::nic::gve {

void NotifyBlocks::configure(uint16_t count, uint16_t first_vector, uint16_t management_vector) {
    blocks_.fill({});
    count_ = std::min(count, kNotifyLimit);
    first_vector_ = first_vector;
    management_vector_ = management_vector;
}

void NotifyBlocks::event(uint16_t block) {
    if (block >= count_) return;
    if (blocks_[block].armed) {
        fire(block);
    } else {
        blocks_[block].pending = true;
        ++counters_.interrupts_held;
    }
}

void NotifyBlocks::doorbell(uint16_t block, uint32_t value) {
    if (block >= count_) return;
    if ((value & kInterruptClearPending) != 0) blocks_[block].pending = false;
    if ((value & kInterruptEnable) == 0) return;
    blocks_[block].armed = true;
    if (blocks_[block].pending) fire(block);
}

void NotifyBlocks::management() {
    if (count_ == 0) return;
    ++counters_.interrupts;
    irq_.raise(management_vector_);
}

void NotifyBlocks::fire(uint16_t block) {
    blocks_[block] = {};
    ++counters_.interrupts;
    irq_.raise(static_cast<uint16_t>(first_vector_ + block));
}

}  // namespace zcrxlab::nic::gve
