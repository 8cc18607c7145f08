// Bugs of kernels that stop a stream of a receiver that does everything right, so that nobody
// blames the receiver for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/conform/receive_facts.hpp"

namespace zcrxlab {

// One that the kernel under the receiver has.
struct StallingBug {
    std::string_view id;         // as "zcrxlab explain" takes it
    std::string_view user_sees;  // without a full stop
};

// Whether the bug of that name is one that stops streams.
bool stops_streams(std::string_view id);

// The one of them that what was counted may have met; null if none.
const StallingBug* stalling_bug_met(std::span<const StallingBug> bugs, const ReceiveFacts& kernel);

// "This kernel has a bug that stops streams by itself: ... (zcrxlab explain NAME)." A sentence.
std::string in_words(const StallingBug& bug);

}  // namespace zcrxlab
