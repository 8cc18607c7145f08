// Notification blocks: one-shot interrupts with a pending bit, one for each queue vector.
//
// A block fires once when it is armed and disarms itself. An event while it is not armed is
// remembered and fires as soon as the driver arms the block again; without that wake-ups are lost.
#pragma once

#include <array>
#include <cstdint>

#include "nic/irq.hpp"
#include "nic/models/gve/gve_counters.hpp"
#include "nic/models/gve/gve_registers.hpp"

namespace zcrxlab::nic::gve {

inline constexpr uint16_t kNotifyLimit = 2 * kQueueLimit;

class NotifyBlocks {
  public:
    NotifyBlocks(Irq& irq, Counters& counters) : irq_(irq), counters_(counters) {}

    // `count` blocks, at most kNotifyLimit, all unarmed. Block i has vector `first_vector` + i.
    void configure(uint16_t count, uint16_t first_vector, uint16_t management_vector);
    // No blocks: nothing is raised until configured again.
    void clear() { configure(0, 0, 0); }
    uint16_t count() const { return count_; }

    // Something happened that the driver of this block waits for.
    void event(uint16_t block);
    // The driver wrote `value` to the block's doorbell. Unknown blocks are ignored.
    void doorbell(uint16_t block, uint32_t value);
    // The driver waits for the next event: it has seen all that were before.
    bool is_armed(uint16_t block) const { return block < count_ && blocks_[block].armed; }
    // The management vector: fires always.
    void management();

  private:
    struct Block {
        bool armed = false;
        bool pending = false;
    };

    void fire(uint16_t block);

    Irq& irq_;
    Counters& counters_;
    std::array<Block, kNotifyLimit> blocks_;
    uint16_t count_ = 0;
    uint16_t first_vector_ = 0;
    uint16_t management_vector_ = 0;
};

}  // namespace zcrxlab::nic::gve
