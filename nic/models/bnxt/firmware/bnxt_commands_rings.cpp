// Commands about rings.
#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "nic/models/bnxt/firmware/bnxt_commands.hpp"

namespace zcrxlab::nic::bnxt {

Answer Commands::allocate_ring(const Request& request) {
    const auto asked = request.as<RingAllocate>();
    const auto type = static_cast<RingType>(asked.type);
    auto memory = RingMemory::from(asked, state_.context.dma);
    if (!memory && memory.error().code == EFAULT)
        return forbid_dma(memory.error().sentence.c_str(), asked.memory, 0, Access::kRead);
    if (!memory) return forbid(HwrmError::kInvalidParameters, memory.error().sentence);
    const auto needs_completions = [&](uint16_t ring) {
        return forbid(
            HwrmError::kInvalidParameters,
            fmt::format("its completions are to go to ring {:#x}, which there is not", ring));
    };
    std::optional<uint16_t> ring;
    switch (type) {
        case RingType::kNotifications:
            if (asked.number >= kNotificationLimit)
                return forbid(HwrmError::kInvalidParameters,
                              fmt::format("its interrupt vector is {}, and there are {}",
                                          asked.number.get(), kNotificationLimit));
            ring = state_.completions.add_notifications(std::move(*memory), asked.number);
            break;
        case RingType::kCompletions:
            if (!state_.completions.has_notifications(asked.notification_ring))
                return needs_completions(asked.notification_ring);
            ring = state_.completions.add_completions(std::move(*memory), asked.notification_ring,
                                                      asked.handle);
            break;
        case RingType::kTx:
            if (!state_.completions.has_completions(asked.completion_ring))
                return needs_completions(asked.completion_ring);
            ring = state_.tx.add(std::move(*memory), asked.completion_ring, asked.stat_context);
            break;
        case RingType::kRx:
        case RingType::kAggregation:
            if (asked.buffer_size == 0)
                return forbid(HwrmError::kInvalidParameters, "its buffers have 0 bytes");
            if ((asked.flags & kPadStart) != 0)
                return refuse(HwrmError::kUnsupportedOption,
                              "frames that begin behind 2 bytes are not implemented");
            ring = type == RingType::kRx
                       ? state_.rx.add(std::move(*memory), asked.number, asked.buffer_size,
                                       asked.stat_context)
                       : state_.rx.add_aggregation(std::move(*memory), asked.rx_ring,
                                                   asked.buffer_size);
            break;
        default:
            return refuse(HwrmError::kInvalidParameters,
                          fmt::format("there are no rings of type {}", asked.type));
    }
    if (!ring)
        return refuse(HwrmError::kNoResource,
                      fmt::format("there is no place for ring {} of type {}", asked.number.get(),
                                  asked.type));
    RingAllocated out{};
    out.ring = *ring;
    out.number = asked.number;
    return out;
}

Answer Commands::free_ring(const Request& request) {
    const auto asked = request.as<RingFree>();
    bool there = false;
    switch (static_cast<RingType>(asked.type)) {
        case RingType::kNotifications:
            there = state_.completions.free_notifications(asked.ring);
            break;
        case RingType::kCompletions:
            there = state_.completions.free_completions(asked.ring);
            break;
        case RingType::kTx:
            there = state_.tx.free(asked.ring);
            break;
        case RingType::kRx:
            there = state_.rx.free(asked.ring);
            break;
        case RingType::kAggregation:
            there = state_.rx.free_aggregation(asked.ring);
            break;
    }
    if (there) return {};
    return forbid(HwrmError::kInvalidParameters,
                  fmt::format("ring {:#x} of type {} is to be freed, which there is not",
                              asked.ring.get(), asked.type));
}

// Interrupts come at once: time is nothing that the model has.
Answer Commands::coalescing_capabilities(const Request&) {
    CoalescingCapabilities out{};
    for (Le16& limit : out.limits) limit = uint16_t{0xffff};
    out.timer_unit = uint16_t{80};
    return out;
}

Answer Commands::configure_coalescing(const Request& request) {
    const uint16_t ring = request.as<CoalescingConfigure>().ring;
    if (state_.completions.has_completions(ring) || state_.completions.has_notifications(ring))
        return {};
    return forbid(HwrmError::kInvalidParameters,
                  fmt::format("ring {:#x} is no completion ring", ring));
}

}  // namespace zcrxlab::nic::bnxt
