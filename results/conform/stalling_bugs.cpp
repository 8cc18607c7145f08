// Which bug stops streams, and what has to have happened for it.
#include "results/conform/stalling_bugs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace zcrxlab {

namespace {

// A multishot request that a full CQ or the want of a buffer has stopped.
bool request_stopped(const ReceiveFacts& kernel) {
    return kernel.cq_full != 0 || kernel.errors.contains(-ENOSPC) ||
           kernel.errors.contains(-ENOMEM);
}

bool no_buffer_for_nic(const ReceiveFacts& kernel) {
    return std::ranges::any_of(kernel.queues,
                               [](const QueueFacts& queue) { return queue.starved != 0; });
}

struct Needs {
    std::string_view id;
    bool (*met)(const ReceiveFacts&);
};
constexpr std::array kNeeds{
    Needs{"burst-then-silence", request_stopped},
    Needs{"queue-without-buffers-stays-so", no_buffer_for_nic},
};

}  // namespace

bool stops_streams(std::string_view id) {
    return std::ranges::find(kNeeds, id, &Needs::id) != kNeeds.end();
}

const StallingBug* stalling_bug_met(std::span<const StallingBug> bugs, const ReceiveFacts& kernel) {
    for (const StallingBug& bug : bugs)
        for (const Needs& needs : kNeeds)
            if (needs.id == bug.id && needs.met(kernel)) return &bug;
    return nullptr;
}

std::string in_words(const StallingBug& bug) {
    return fmt::format(
        "This kernel has a bug that stops streams by itself: {} (zcrxlab explain {}).",
        bug.user_sees, bug.id);
}

}  // namespace zcrxlab
