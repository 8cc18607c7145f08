// Owners: whose each buffer of an area was, over time.
//
// What is seen of a buffer are the device's writes into it, the CQEs that give it to the user, and
// its returns. The rest follows: a buffer is the refill ring's from its return on until the kernel
// must have taken it, which is at the latest when the device has it again, or one that was returned
// after it; the device's from when its driver posted it until it was written; in a socket from then
// on until its CQE; and free otherwise. A device that does not say when buffers were posted (traces
// of before, netdevsim) has none of them in this picture.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "results/timeline/write_times.hpp"

namespace zcrxlab {

enum class Owner : uint8_t {
    kFree,    // the kernel has it, for nobody yet
    kPosted,  // posted to the device
    kSocket,  // written by the device, and not delivered
    kUser,    // delivered, and not returned
    kRing,    // returned, and not taken by the kernel
    kTwice,   // delivered once more while the same bytes of it were the user's
};
inline constexpr std::array<std::string_view, 6> kOwnerNames = {
    "free",          "posted to the device", "in a socket",
    "with the user", "in the refill ring",   "handed out twice"};

// From `at` on, `buffer` is `owner`'s.
struct OwnerChange {
    int64_t at = 0;  // nanoseconds of the guest's CLOCK_MONOTONIC
    uint32_t buffer = 0;
    Owner owner = Owner::kFree;
    size_t event = 0;  // the event that shows it
};

// An area from its registration to the end of its ring, when all that is left of it is the
// kernel's.
struct AreaOwners {
    uint32_t ifq = 0, area = 0;
    uint32_t buffers = 0;
    uint32_t buffer_size = 0;
    int64_t from = 0, to = 0;
    std::vector<OwnerChange> changes = {};  // by time; before its first, a buffer is free
};

// No buffer of these has two changes to the same owner in a row. Areas that make no sense (empty,
// or with more buffers than could be) are left out.
std::vector<AreaOwners> owners(Events events, const WriteTimes& times);

// Whose `buffer` is at `when`.
Owner owner_at(const AreaOwners& area, uint32_t buffer, int64_t when);

}  // namespace zcrxlab
