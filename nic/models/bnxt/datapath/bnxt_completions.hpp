// Completions: what a driver is told by: completion rings, notification queues that say which of
// them have something, and interrupts that say that of a notification queue.
//
// Each of the two is armed once, for one telling: the driver arms it again when it has read all.
// What comes while it is not armed is not lost: arming it with something unread tells at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nic/models/bnxt/datapath/bnxt_context.hpp"
#include "nic/models/bnxt/datapath/bnxt_ring_memory.hpp"
#include "nic/models/bnxt/layout/bnxt_descriptors.hpp"
#include "nic/models/bnxt/layout/bnxt_registers.hpp"

namespace zcrxlab::nic::bnxt {

// Each kind of ring has its numbers, so that one taken for another is noticed.
inline constexpr uint16_t kNotificationRings = 0x000;
inline constexpr uint16_t kCompletionRings = 0x100;
inline constexpr uint16_t kTxRings = 0x200;
inline constexpr uint16_t kRxRings = 0x300;
inline constexpr uint16_t kAggregationRings = 0x400;

class Completions {
  public:
    explicit Completions(BnxtContext& context) : context_(context) {}

    // The number of the ring; nothing if there is no room for one more.
    std::optional<uint16_t> add_notifications(RingMemory memory, uint16_t vector);
    std::optional<uint16_t> add_completions(RingMemory memory, uint16_t notifications,
                                            uint64_t handle);
    // From here on no memory of it is touched. False if there is none of this kind and number.
    bool free_notifications(uint16_t ring);
    bool free_completions(uint16_t ring);
    void clear();
    bool has_notifications(uint16_t ring) const { return find_notifications(ring) != nullptr; }
    bool has_completions(uint16_t ring) const { return find_completions(ring) != nullptr; }

    // The driver rang for a ring of these; false if `doorbell` is not about one that is there.
    // `receiving`: whether there is a receive ring, which a driver that stops has freed before.
    bool doorbell(const Doorbell& doorbell, bool receiving);

    // Entries that fit into a completion ring now; 0 if there is none.
    uint32_t room(uint16_t ring) const;
    // Writes entries that the driver sees together: 1 at least, room() at most. `quietly`: and
    // never tells it of them. `stale_phase`: the valid bit does not turn where the ring starts
    // again (a mutation). False, and the ring is given up, if it is no guest memory.
    bool complete(uint16_t ring, std::span<Entry> entries, bool quietly = false,
                  bool stale_phase = false);
    // Tells what complete() wrote, where that is armed.
    void tell();
    // Puts an entry into a notification queue itself, and tells.
    void notify(uint16_t ring, Entry entry);

  private:
    // Entries that the device writes.
    struct Written {
        RingMemory memory;
        uint32_t head = 0;  // next to write
        uint32_t read = 0;  // next that the driver reads
        uint32_t phase = Entry::kValid;
        bool armed = false;

        uint32_t unread() const { return memory.distance(read, head); }
        uint32_t room() const { return memory.size() - 1 - unread(); }
    };
    struct NotificationQueue {
        Written ring;
        uint16_t vector = 0;
    };
    struct CompletionRing {
        Written ring;
        uint16_t notifications = 0;
        uint64_t handle = 0;
        bool due = false;
    };

    NotificationQueue* find_notifications(uint16_t ring);
    CompletionRing* find_completions(uint16_t ring);
    const NotificationQueue* find_notifications(uint16_t ring) const;
    const CompletionRing* find_completions(uint16_t ring) const;
    bool write(const std::string& name, Written& ring, std::span<Entry> entries);
    // The driver has read up to `index`. False, and told of, if that cannot be. `now`: what else
    // is to be said of the moment; a phrase that begins with a comma, or nothing.
    bool has_read(const std::string& name, Written& ring, uint32_t index,
                  std::string_view now = {});
    void tell(CompletionRing& completions);
    void interrupt(NotificationQueue& queue);

    BnxtContext& context_;
    std::array<std::optional<NotificationQueue>, kNotificationLimit> notifications_;
    std::array<std::optional<CompletionRing>, kCompletionLimit> completions_;
};

}  // namespace zcrxlab::nic::bnxt
