// Completions: completion rings, notification queues and interrupts.
#include "nic/models/bnxt/datapath/bnxt_completions.hpp"

#include <fmt/format.h>

#include <utility>

namespace zcrxlab::nic::bnxt {
namespace {

// A free place for one more, and its number.
template <typename Rings>
std::optional<uint16_t> free_place(const Rings& rings) {
    for (size_t i = 0; i < rings.size(); ++i)
        if (!rings[i]) return static_cast<uint16_t>(i);
    return {};
}

std::string notifications_name(uint16_t ring) {
    return fmt::format("notification queue {}", ring - kNotificationRings);
}
std::string completions_name(uint16_t ring) {
    return fmt::format("completion ring {}", ring - kCompletionRings);
}

}  // namespace

std::optional<uint16_t> Completions::add_notifications(RingMemory memory, uint16_t vector) {
    const auto place = free_place(notifications_);
    if (!place) return {};
    notifications_[*place].emplace(
        NotificationQueue{.ring = {.memory = std::move(memory)}, .vector = vector});
    return static_cast<uint16_t>(kNotificationRings + *place);
}

std::optional<uint16_t> Completions::add_completions(RingMemory memory, uint16_t notifications,
                                                     uint64_t handle) {
    const auto place = free_place(completions_);
    if (!place) return {};
    completions_[*place].emplace(CompletionRing{
        .ring = {.memory = std::move(memory)}, .notifications = notifications, .handle = handle});
    return static_cast<uint16_t>(kCompletionRings + *place);
}

bool Completions::free_notifications(uint16_t ring) {
    if (!has_notifications(ring)) return false;
    notifications_[ring - kNotificationRings].reset();
    return true;
}

bool Completions::free_completions(uint16_t ring) {
    if (!has_completions(ring)) return false;
    completions_[ring - kCompletionRings].reset();
    return true;
}

void Completions::clear() {
    notifications_.fill({});
    completions_.fill({});
}

bool Completions::doorbell(const Doorbell& doorbell, bool receiving) {
    const auto ring = static_cast<uint16_t>(doorbell.ring);
    switch (doorbell.type) {
        case DoorbellType::kCompletions:
        case DoorbellType::kArmCompletions: {
            CompletionRing* completions = find_completions(ring);
            if (completions == nullptr) return false;
            if (!has_read(completions_name(ring), completions->ring, doorbell.index)) return true;
            if (doorbell.type == DoorbellType::kCompletions) return true;
            completions->ring.armed = true;
            if (completions->ring.unread() != 0) tell(*completions);
            return true;
        }
        case DoorbellType::kNotifications:
        case DoorbellType::kMaskNotifications:
        case DoorbellType::kArmNotifications: {
            NotificationQueue* queue = find_notifications(ring);
            if (queue == nullptr) return false;
            const bool arms = doorbell.type == DoorbellType::kArmNotifications;
            if (!has_read(notifications_name(ring), queue->ring, doorbell.index,
                          arms || receiving ? "" : ", to disarm it where no receive ring is left"))
                return true;
            queue->ring.armed = arms;
            if (queue->ring.unread() != 0) interrupt(*queue);
            return true;
        }
        default:
            return false;
    }
}

uint32_t Completions::room(uint16_t ring) const {
    const CompletionRing* completions = find_completions(ring);
    return completions == nullptr ? 0 : completions->ring.room();
}

bool Completions::complete(uint16_t ring, std::span<Entry> entries, bool quietly,
                           bool stale_phase) {
    CompletionRing* completions = find_completions(ring);
    if (completions == nullptr) return false;
    const uint32_t phase = completions->ring.phase;
    const bool written = write(completions_name(ring), completions->ring, entries);
    if (stale_phase) completions->ring.phase = phase;
    if (!written) {
        free_completions(ring);
        return false;
    }
    if (!quietly) completions->due = true;
    return true;
}

void Completions::tell() {
    for (auto& completions : completions_)
        if (completions && std::exchange(completions->due, false) && completions->ring.armed)
            tell(*completions);
}

void Completions::notify(uint16_t ring, Entry entry) {
    NotificationQueue* queue = find_notifications(ring);
    if (queue == nullptr) return;
    if (queue->ring.room() == 0) {
        context_.forbid({.kind = ForbiddenKind::kCompletion,
                         .queue = notifications_name(ring),
                         .what = fmt::format("a notification is due, and {} are unread",
                                             queue->ring.unread())});
        return;
    }
    if (!write(notifications_name(ring), queue->ring, std::span(&entry, 1))) {
        free_notifications(ring);
        return;
    }
    ++context_.counters.notifications;
    interrupt(*queue);
}

const Completions::NotificationQueue* Completions::find_notifications(uint16_t ring) const {
    const size_t place = size_t{ring} - kNotificationRings;
    if (place >= notifications_.size() || !notifications_[place]) return nullptr;
    return &*notifications_[place];
}

const Completions::CompletionRing* Completions::find_completions(uint16_t ring) const {
    const size_t place = size_t{ring} - kCompletionRings;
    if (place >= completions_.size() || !completions_[place]) return nullptr;
    return &*completions_[place];
}

Completions::NotificationQueue* Completions::find_notifications(uint16_t ring) {
    return const_cast<NotificationQueue*>(std::as_const(*this).find_notifications(ring));
}

Completions::CompletionRing* Completions::find_completions(uint16_t ring) {
    return const_cast<CompletionRing*>(std::as_const(*this).find_completions(ring));
}

bool Completions::write(const std::string& name, Written& ring, std::span<Entry> entries) {
    // The driver reads in order, so all of them stay unseen until the first one's valid bit turns:
    // it is written as it was in the round before, then that word is released.
    const uint64_t first = ring.memory.address_of(ring.head);
    const uint32_t first_word = (entries[0].valid & ~Entry::kValid) | ring.phase;
    for (size_t i = 0; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        const uint32_t phase = i == 0 ? ring.phase ^ Entry::kValid : ring.phase;
        entry.valid = (entry.valid & ~Entry::kValid) | phase;
        const uint64_t at = ring.memory.address_of(ring.head);
        if (!context_.dma.write_object(at, entry)) {
            context_.forbid_dma(name, ring.head, "an entry", at, sizeof(entry), Access::kWrite);
            ++context_.counters.bad_rings;
            return false;
        }
        ring.head = ring.memory.next(ring.head);
        if (ring.head == 0) ring.phase ^= Entry::kValid;
    }
    if (context_.dma.store_release(first + offsetof(Entry, valid), first_word)) return true;
    context_.forbid_dma(name, {}, "the valid bit of an entry", first, sizeof(Entry),
                        Access::kWrite);
    ++context_.counters.bad_rings;
    return false;
}

bool Completions::has_read(const std::string& name, Written& ring, uint32_t index,
                           std::string_view now) {
    const RingMemory& memory = ring.memory;
    if (index >= memory.size()) {
        context_.forbid_doorbell(name, fmt::format("its doorbell was rung with {}, and it has {} "
                                                   "entries{}",
                                                   index, memory.size(), now));
        return false;
    }
    if (memory.distance(ring.read, index) > ring.unread()) {
        // It is an old one if it lies nearer behind what was read than ahead of what was written.
        const bool again = memory.distance(index, ring.read) < memory.distance(ring.head, index);
        context_.forbid_doorbell(
            name,
            again ? fmt::format("its doorbell was rung with {} behind {}{}", index, ring.read, now)
                  : fmt::format("its doorbell was rung with {}, and entries from {} to {} of "
                                "{} are unread{}",
                                index, ring.read, ring.head, memory.size(), now));
        return false;
    }
    ring.read = index;
    return true;
}

void Completions::tell(CompletionRing& completions) {
    completions.ring.armed = false;
    notify(completions.notifications,
           entry_of(Notification{Notification::kType, uint16_t{0},
                                 static_cast<uint32_t>(completions.handle), uint32_t{0},
                                 static_cast<uint32_t>(completions.handle >> 32)}));
}

void Completions::interrupt(NotificationQueue& queue) {
    if (!std::exchange(queue.ring.armed, false)) return;
    ++context_.counters.interrupts;
    context_.irq.raise(queue.vector);
}

}  // namespace zcrxlab::nic::bnxt
